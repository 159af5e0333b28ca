package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.ArrayList;
import java.util.List;

/**
 * One of several requests that {@link JobMapper#claim} serves at once.
 *
 * @param jobsBefore how many jobs may go to the requests before it
 */
public record ClaimingInOrder(@JsonUnwrapped Claiming request, long jobsBefore) {
  static List<ClaimingInOrder> of(List<Claiming> requests) {
    List<ClaimingInOrder> inOrder = new ArrayList<>();
    long jobs = 0;
    for (Claiming request : requests) {
      inOrder.add(new ClaimingInOrder(request, jobs));
      jobs += request.maxJobs();
    }
    return inOrder;
  }
}
