package dev.agwp.sdk.worker;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A command and all processes it started. It runs in a session of its own where {@code setsid} is at hand, so that a grandchild whose
 * parent has gone is still found by its process group. Who left that too is found on Linux by a mark in its environment; elsewhere
 * only the descendants that can be seen are killed.
 */
final class ProcessTree implements AutoCloseable {
  private static final long TERM_MS = 2_000;
  private static final long KILL_MS = 5_000;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String SETSID = onPath("setsid");
  private static final String MARK = "AGWP_PROCESS_TREE";
  private static final Path PROCESSES = Path.of("/proc");

  private final Process process;
  private final String mark;
  private boolean killed;

  private ProcessTree(Process process, String mark) {
    this.process = process;
    this.mark = MARK + "=" + mark + "\0";
  }

  /**
   * @param prepare sets the environment, and where input and output go if not to pipes of this process
   * @throws NoSuchFileException when there is no such program
   * @throws IOException when it cannot be started
   */
  static ProcessTree start(List<String> command, Consumer<ProcessBuilder> prepare) throws IOException {
    List<String> line = new ArrayList<>(command);
    if (File.separatorChar == '/') {
      // setsid would say "no such file" with a status of its own, which would pass for the command's, and without it both faults are one.
      requireProgram(command.get(0));
    }
    if (SETSID != null) {
      line.add(0, SETSID);
    }
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    prepare.accept(builder);
    String mark = UUID.randomUUID().toString();
    builder.environment().put(MARK, mark);
    return new ProcessTree(builder.start(), mark);
  }

  OutputStream stdin() {
    return process.getOutputStream();
  }

  InputStream stdout() {
    return process.getInputStream();
  }

  int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  /** Ends what is left of the tree: asked first, killed soon after. */
  @Override
  public synchronized void close() {
    if (killed) {
      return;
    }
    killed = true;
    List<ProcessHandle> descendants = Stream.concat(process.descendants(), marked()).distinct().toList();
    if (signal("TERM", descendants)) {
      waitUntilGone(descendants, TERM_MS);
    }
    signal("KILL", descendants);
    waitUntilGone(descendants, KILL_MS);
  }

  private Stream<ProcessHandle> marked() {
    return Files.isDirectory(PROCESSES) ? ProcessHandle.allProcesses().filter(this::isMarked) : Stream.empty();
  }

  private boolean isMarked(ProcessHandle handle) {
    try {
      byte[] environment = Files.readAllBytes(PROCESSES.resolve(handle.pid() + "/environ"));
      return new String(environment, StandardCharsets.ISO_8859_1).contains(mark);
    } catch (IOException goneOrNotOurs) {
      return false;
    }
  }

  /** False when there was nobody to signal. */
  private boolean signal(String name, List<ProcessHandle> descendants) {
    boolean force = name.equals("KILL");
    boolean any = SETSID != null && groupSignalled(name);
    for (ProcessHandle handle : (Iterable<ProcessHandle>) Stream.concat(Stream.of(process.toHandle()), descendants.stream())::iterator) {
      any |= handle.isAlive() && (force ? handle.destroyForcibly() : handle.destroy());
    }
    return any;
  }

  private boolean groupSignalled(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, "--", "-" + process.pid())
          .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      return uninterrupted(() -> kill.waitFor()) == 0;
    } catch (IOException noKillProgram) {
      return false;
    }
  }

  private void waitUntilGone(List<ProcessHandle> descendants, long ms) {
    long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    List<ProcessHandle> all = new ArrayList<>(descendants);
    all.add(process.toHandle());
    for (ProcessHandle handle : all) {
      while (untilNanos - System.nanoTime() > 0 && isRunning(handle)) {
        uninterrupted(() -> {
          handle.onExit().completeOnTimeout(handle, LOOK_NANOS, TimeUnit.NANOSECONDS).join();
          return 0;
        });
      }
    }
  }

  /** Not so when only its entry is left, until its parent asks how it ended: a first process that never does keeps it for ever. */
  private static boolean isRunning(ProcessHandle handle) {
    if (!handle.isAlive()) {
      return false;
    }
    try {
      String stat = Files.readString(PROCESSES.resolve(handle.pid() + "/stat"), StandardCharsets.ISO_8859_1);
      return !stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException notToldHere) {
      return true;
    }
  }

  private interface Wait {
    int run() throws InterruptedException;
  }

  /** Killing goes on although the thread was interrupted: that interrupt is the very reason for it. */
  private static int uninterrupted(Wait wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.run();
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void requireProgram(String program) throws IOException {
    boolean found = program.contains(File.separator) ? isProgram(new File(program)) : onPath(program) != null;
    if (!found) {
      if (program.contains(File.separator) && new File(program).exists()) {
        throw new IOException("it is no program that may be executed");
      }
      throw new NoSuchFileException(program, null, "there is no such program");
    }
  }

  private static String onPath(String program) {
    for (String folder : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
      File file = new File(folder, program);
      if (isProgram(file)) {
        return file.getPath();
      }
    }
    return null;
  }

  private static boolean isProgram(File file) {
    return file.isFile() && file.canExecute();
  }
}
