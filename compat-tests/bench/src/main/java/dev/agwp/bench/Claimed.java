package dev.agwp.bench;

import java.util.ArrayList;
import java.util.List;

/** A job as a claim answers it. Cut out of the text: a parser's cost would be paid on the machine that is measured. */
record Claimed(String id, String token) {
  private static final String ID = "\"job_id\":\"";
  private static final String TOKEN = "\"attempts\":";

  static List<Claimed> in(String answer) {
    List<Claimed> jobs = new ArrayList<>();
    for (int at = answer.indexOf(ID); at >= 0; at = answer.indexOf(ID, at + 1)) {
      int id = at + ID.length();
      int token = answer.indexOf(TOKEN, id) + TOKEN.length();
      jobs.add(new Claimed(answer.substring(id, answer.indexOf('"', id)), answer.substring(token, endOfNumber(answer, token))));
    }
    return jobs;
  }

  private static int endOfNumber(String text, int start) {
    int end = start;
    while (Character.isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }
}
