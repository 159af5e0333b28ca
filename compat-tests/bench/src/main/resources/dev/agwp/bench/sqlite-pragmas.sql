pragma journal_mode = wal;
pragma synchronous = full
