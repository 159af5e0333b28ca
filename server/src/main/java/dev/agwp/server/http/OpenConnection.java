package dev.agwp.server.http;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.Connection;
import org.glassfish.grizzly.Grizzly;
import org.glassfish.grizzly.attributes.Attribute;
import org.glassfish.grizzly.nio.NIOConnection;

/** A client's connection: what the client is to send us by when, how much of a body has come, and who it is. */
final class OpenConnection {
  private static final Attribute<OpenConnection> OF_CONNECTION =
      Grizzly.DEFAULT_ATTRIBUTE_BUILDER.createAttribute("agwp.openConnection");
  private static final Debt NONE = new Debt(What.NOTHING, 0);
  private static final Debt OVERDUE = new Debt(What.TOO_LATE, 0);

  /** What a client owes us; TOO_LATE when its connection is being closed because it did not come. */
  enum What { NOTHING, HEAD, BODY, END, TOO_LATE }

  private record Debt(What what, long byNanos) {}

  private final Connection<?> connection;
  private final InetAddress address;
  // The thread that reads and the one that looks at the clock meet here: one of them gets the debt.
  private final AtomicReference<Debt> debt = new AtomicReference<>(NONE);
  private final AtomicInteger bodyBytes = new AtomicInteger();
  private ByteArrayOutputStream body;
  private RequestHead head;
  private volatile long unreadSinceNanos;
  private volatile boolean unread;
  private volatile String principal;
  private volatile boolean answering;

  private OpenConnection(Connection<?> connection) {
    this.connection = connection;
    address = ((InetSocketAddress) connection.getPeerAddress()).getAddress();
  }

  static OpenConnection begin(Connection<?> connection) {
    OpenConnection client = new OpenConnection(connection);
    OF_CONNECTION.set(connection, client);
    return client;
  }

  static OpenConnection of(Connection<?> connection) {
    return OF_CONNECTION.get(connection);
  }

  Connection<?> connection() {
    return connection;
  }

  InetAddress address() {
    return address;
  }

  /** From now on, in place of what was owed before. */
  void owes(What what, Duration within) {
    debt.updateAndGet(before -> before == OVERDUE ? OVERDUE : new Debt(what, System.nanoTime() + within.toNanos()));
  }

  boolean owes(What what) {
    return debt.get().what() == what;
  }

  /** What was owed has come. False when it came too late. */
  boolean pays() {
    return debt.get() == NONE || debt.updateAndGet(before -> before == OVERDUE ? OVERDUE : NONE) == NONE;
  }

  /** Nothing that it sends is taken any more. */
  void giveUp() {
    debt.set(OVERDUE);
  }

  /** What is owed and did not come in time, told once; else NOTHING. */
  What overdue(long nowNanos) {
    Debt owed = debt.get();
    boolean late = owed != NONE && owed != OVERDUE && nowNanos - owed.byNanos() >= 0;
    return late && debt.compareAndSet(owed, OVERDUE) ? owed.what() : What.NOTHING;
  }

  /** The head of the request that is coming. */
  RequestHead head() {
    if (head == null) {
      head = new RequestHead();
    }
    return head;
  }

  void forgetHead() {
    head = null;
  }

  /** Takes over a part of a body; answers how many bytes of it there are now. */
  int keep(Buffer part) {
    if (body == null) {
      body = new ByteArrayOutputStream();
    }
    byte[] bytes = new byte[part.remaining()];
    part.get(bytes);
    body.writeBytes(bytes);
    bodyBytes.addAndGet(bytes.length);
    return body.size();
  }

  byte[] takeBody() {
    byte[] whole = body.toByteArray();
    body = null;
    return whole;
  }

  void dropBody() {
    body = null;
  }

  /** How many bytes {@link #keep} has taken since this was last asked. */
  int forgetBodyBytes() {
    return bodyBytes.getAndSet(0);
  }

  /** Bytes of answers that the client has not taken. */
  int unreadBytes() {
    return ((NIOConnection) connection).getAsyncWriteQueue().spaceInBytes();
  }

  /** The client has taken all of its answers. */
  void hasReadAll() {
    unread = false;
  }

  /** Whether answers wait to be taken for longer than that; looked at now and then. */
  boolean readsTooSlowly(long nowNanos, Duration within) {
    if (unreadBytes() == 0) {
      unread = false;
      return false;
    }
    if (!unread) {
      unreadSinceNanos = nowNanos;
      unread = true;
    }
    return nowNanos - unreadSinceNanos >= within.toNanos();
  }

  /** It has sent a request that is to be answered. */
  void asks() {
    answering = true;
  }

  /** Its request has been answered, as far as that is in our hands. */
  void isAnswered() {
    answering = false;
  }

  /** Whether it waits for an answer, or has one to take. */
  boolean isBusy() {
    return answering || unreadBytes() > 0;
  }

  /** Whom its verified certificate names; null for none. */
  String principal() {
    return principal;
  }

  void isOf(String name) {
    principal = name;
  }
}
