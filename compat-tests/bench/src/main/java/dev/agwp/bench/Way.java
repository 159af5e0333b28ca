package dev.agwp.bench;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** How a caller claims and completes over HTTP. */
enum Way {
  ONE_AT_A_TIME(null) {
    @Override
    int claimAndComplete(Connection to) throws IOException {
      return completeEach(to, to.claim(1));
    }
  },
  MANY_A_CLAIM(null) {
    @Override
    int claimAndComplete(Connection to) throws IOException {
      return completeEach(to, to.claim(JOBS_PER_CLAIM));
    }
  },
  MANY_A_CLAIM_COMPLETED_AT_ONCE("completeJobs") {
    @Override
    int claimAndComplete(Connection to) throws IOException {
      List<Claimed> jobs = to.claim(JOBS_PER_CLAIM);
      if (!jobs.isEmpty()) {
        to.http.post("/v1/jobs/complete", jobs.stream()
            .map(job -> "{\"job_id\":\"" + job.id() + "\",\"completion\":" + Agwp.completion(to.worker, job) + "}")
            .collect(Collectors.joining(",", "{\"completions\":[", "]}")));
      }
      return jobs.size();
    }
  },
  CLAIM_NEXT("claim_next") {
    @Override
    int claimAndComplete(Connection to) throws IOException {
      int completed = 0;
      List<Claimed> jobs = to.claim(1);
      while (!jobs.isEmpty()) {
        Claimed job = jobs.get(0);
        String completion = Agwp.completion(to.worker, job);
        String answer = to.http.post(to.completePath(job), completion.substring(0, completion.length() - 1)
            + ",\"claim_next\":{\"queues\":[\"" + to.queue + "\"],\"lease_seconds\":60}}");
        completed++;
        jobs = Claimed.in(answer).stream().filter(next -> !next.id().equals(job.id())).toList();
      }
      return completed;
    }
  };

  static final int JOBS_PER_CLAIM = 32;

  private final String needs;

  Way(String needs) {
    this.needs = needs;
  }

  /** The operation or field of the contract that this needs; null when every release has it. */
  String needs() {
    return needs;
  }

  /** Answers how many jobs were completed. */
  abstract int claimAndComplete(Connection to) throws IOException;

  Callers.Caller caller(HttpCaller http, String queue, String worker) {
    Connection connection = new Connection(http, queue, worker);
    return new Callers.Caller() {
      @Override
      public int step() throws IOException {
        return claimAndComplete(connection);
      }

      @Override
      public void close() throws IOException {
        http.close();
      }
    };
  }

  private static int completeEach(Connection to, List<Claimed> jobs) throws IOException {
    for (Claimed job : jobs) {
      to.complete(job);
    }
    return jobs.size();
  }

  /** A worker of a queue. */
  record Connection(HttpCaller http, String queue, String worker) {
    List<Claimed> claim(int jobs) throws IOException {
      return Claimed.in(http.post("/v1/jobs/claim",
          "{\"queues\":[\"" + queue + "\"],\"worker\":\"" + worker + "\",\"lease_seconds\":60,\"max_jobs\":" + jobs + "}"));
    }

    void complete(Claimed job) throws IOException {
      http.post(completePath(job), Agwp.completion(worker, job));
    }

    String completePath(Claimed job) {
      return "/v1/jobs/" + job.id() + "/complete";
    }
  }
}
