package dev.agwp.server.queue;

import dev.agwp.server.api.QueuesApi;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.CurrentRequest;
import dev.agwp.server.message.ListQueuesResponse;
import dev.agwp.server.message.Queue;
import dev.agwp.server.message.UpdateQueueRequest;

/** The queue operations over HTTP. */
public final class QueueResource implements QueuesApi {
  private final ReadQueues readQueues;
  private final UpdateQueue updateQueue;

  public QueueResource(ReadQueues readQueues, UpdateQueue updateQueue) {
    this.readQueues = readQueues;
    this.updateQueue = updateQueue;
  }

  @Override
  public ListQueuesResponse listQueues(Integer pageSize, String pageToken) {
    return readQueues.page(Caller.of(CurrentRequest.get()).queues(), pageSize, pageToken);
  }

  @Override
  public Queue getQueue(String queue) {
    return readQueues.one(Caller.of(CurrentRequest.get()), queue);
  }

  @Override
  public Queue updateQueue(String queue, UpdateQueueRequest request) {
    return updateQueue.run(Caller.of(CurrentRequest.get()), queue, request);
  }
}
