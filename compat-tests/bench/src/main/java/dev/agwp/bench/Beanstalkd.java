package dev.agwp.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** beanstalkd over its own TCP protocol, with an fsync for every write: a reserve writes nothing, a delete does. */
final class Beanstalkd implements Contender {
  private static final int START_SECONDS_MAX = 10;
  private static final int TIMEOUT_MS = 60_000;
  private static final String PUT = "put 0 0 60 " + Agwp.PAYLOAD.length() + "\r\n" + Agwp.PAYLOAD + "\r\n";

  private final Path program;
  private String version = "";

  /** @param program where the run script unpacked Debian's package */
  Beanstalkd(Path program) {
    this.program = program;
  }

  @Override
  public String name() {
    return "beanstalkd, fsync on every write";
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public boolean keepsWarm() {
    return false;
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    if (!Files.isExecutable(program)) {
      throw new NotOffered("there is no Debian package of beanstalkd on this machine");
    }
    try (ChildProcess asked = ChildProcess.start("beanstalkd", List.of(program.toString(), "-v"))) {
      version = asked.lineWith("beanstalkd");
    }
    Path log = Files.createTempDirectory(Bench.SCRATCH, "beanstalkd");
    int port = freePort();
    List<String> command = List.of(program.toString(), "-l", "127.0.0.1", "-p", Integer.toString(port), "-b", log.toString(), "-f", "0");
    try (ChildProcess server = ChildProcess.start("beanstalkd", command)) {
      try (Connection producer = connectOnceItListens(port)) {
        for (int i = 0; i < jobs; i++) {
          producer.ask(PUT, "INSERTED ");
        }
      }
      return Callers.run(jobs, callers, number -> new Connection(port));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  // It says nothing when it is ready.
  private static Connection connectOnceItListens(int port) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (true) {
      try {
        return new Connection(port);
      } catch (ConnectException notYet) {
        if (System.nanoTime() > deadline) {
          throw notYet;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
  }

  private static final class Connection implements Callers.Caller {
    private final Socket socket;
    private final InputStream in;

    Connection(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MS);
      in = new BufferedInputStream(socket.getInputStream());
    }

    @Override
    public int step() throws IOException {
      String reserved = ask("reserve-with-timeout 0\r\n", "");
      if (reserved.equals("TIMED_OUT")) {
        return 0;
      }
      // RESERVED <id> <bytes>, then the payload
      String[] words = reserved.split(" ");
      in.readNBytes(Integer.parseInt(words[2]) + 2);
      ask("delete " + words[1] + "\r\n", "DELETED");
      return 1;
    }

    String ask(String command, String expected) throws IOException {
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new IOException("beanstalkd closed the connection");
        }
        answer.append((char) next);
      }
      String line = answer.toString().strip();
      if (!line.startsWith(expected)) {
        throw new IOException("beanstalkd answered " + line);
      }
      return line;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
