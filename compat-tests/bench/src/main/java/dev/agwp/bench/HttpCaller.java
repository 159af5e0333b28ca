package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;

/** One caller's connection to a server. */
interface HttpCaller extends AutoCloseable {
  /**
   * Posts JSON and answers the JSON that comes back.
   *
   * @throws IOException when the answer is not a success, too
   */
  String post(String path, String json) throws IOException;

  @Override
  void close() throws IOException;

  /** Which client the callers use: its cost is paid on the machine that is measured. */
  enum Client {
    LEAN {
      @Override
      HttpCaller connect(URI server) throws IOException {
        return new LeanHttp(server);
      }
    },
    JDK {
      @Override
      HttpCaller connect(URI server) {
        return new JdkHttp(server);
      }
    };

    abstract HttpCaller connect(URI server) throws IOException;
  }
}
