package dev.agwp.server;

/**
 * What a server is started with.
 *
 * @param host the address to listen on; without configured tokens a loopback address
 * @param port 0..65535; 0 takes a free one
 * @param db {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://...}
 * @param requireFencing whether calls of holders must carry a fencing token, whatever their queue says
 * @param audit what is done with checkpoints of the audit log
 */
public record ServerOptions(String host, int port, String db, boolean requireFencing, AuditOptions audit) {}
