module agwp.dev/go

go 1.23
