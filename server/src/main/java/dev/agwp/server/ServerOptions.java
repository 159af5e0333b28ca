package dev.agwp.server;

import dev.agwp.server.access.AccessOptions;
import dev.agwp.server.http.Limits;
import dev.agwp.server.http.TlsFiles;

/**
 * What a server is started with.
 *
 * @param host the address to listen on
 * @param port 0..65535; 0 takes a free one
 * @param db {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://...}
 * @param requireFencing whether calls of holders must carry a fencing token, whatever their queue says
 * @param access who is let in
 * @param limits what one client may use up
 * @param tls null to speak plain HTTP
 * @param audit what is done with checkpoints of the audit log
 */
public record ServerOptions(
    String host, int port, String db, boolean requireFencing, AccessOptions access, Limits limits, TlsFiles.Options tls,
    AuditOptions audit) {}
