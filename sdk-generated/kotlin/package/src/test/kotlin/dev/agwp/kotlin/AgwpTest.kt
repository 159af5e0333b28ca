package dev.agwp.kotlin

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import dev.agwp.kotlin.models.Attestation
import dev.agwp.kotlin.models.ClaimJobRequest
import dev.agwp.kotlin.models.ClaimNext
import dev.agwp.kotlin.models.CompleteJobRequest
import dev.agwp.kotlin.models.CompleteJobsRequest
import dev.agwp.kotlin.models.EnqueueJobRequest
import dev.agwp.kotlin.models.FailJobRequest
import dev.agwp.kotlin.models.HeartbeatJobRequest
import dev.agwp.kotlin.models.Job
import dev.agwp.kotlin.models.JobCompletion
import dev.agwp.kotlin.models.JobOutcome
import dev.agwp.kotlin.models.ReleaseJobRequest
import dev.agwp.kotlin.models.UpdateQueueRequest
import java.io.IOException
import java.math.BigInteger
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.UUID
import java.util.concurrent.CopyOnWriteArrayList
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

/** The client on a real server, named by AGWP_SERVER, and on a stub for what no server sends yet. */
class AgwpTest {
  private val queue = "kotlin-${UUID.randomUUID()}"
  private val agwp by lazy { Agwp(System.getenv("AGWP_SERVER") ?: error("AGWP_SERVER must name a server")) }
  private val stubs = mutableListOf<HttpServer>()
  private val received = CopyOnWriteArrayList<String>()

  @AfterEach
  fun closeTheStubs() = stubs.forEach { it.stop(0) }

  @Test
  fun a_stale_fencing_token_is_refused_and_the_current_one_completes() {
    aJob()
    val stale = aClaim()
    agwp.jobs.releaseJob(stale.jobId, ReleaseJobRequest(worker = "w1", fencingToken = stale.attempts)).answer()
    val current = aClaim()

    val beats = HeartbeatJobRequest(worker = "w1", fencingToken = current.attempts, progress = 40)
    assertEquals(40, agwp.jobs.heartbeatJob(current.jobId, beats).answer().progress)
    val before = agwp.jobs.getJob(current.jobId).answer()

    assertFalse(isStillHeld(stale))
    val refused = assertThrows(AgwpException::class.java) {
      agwp.jobs.heartbeatJob(stale.jobId, HeartbeatJobRequest(worker = "w1", fencingToken = stale.attempts)).answer()
    }
    assertEquals(listOf(404, "not_found", "stale_fencing_token"), listOf(refused.status, refused.code, refused.reason))
    assertEquals(before, agwp.jobs.getJob(current.jobId).answer())

    val verdict = CompleteJobRequest(worker = "w1", outcome = JobOutcome.PASSED, fencingToken = current.attempts,
      result = mapOf("lines" to 9007199254740993), attestation = Attestation("text/plain", byteArrayOf(0, 1, -1)))
    val done = agwp.jobs.completeJob(current.jobId, verdict).answer()
    assertEquals(listOf("succeeded", "passed"), listOf(done.state, done.outcome))
    assertEquals(mapOf("lines" to 9007199254740993), done.result)
    assertArrayEquals(byteArrayOf(0, 1, -1), agwp.jobs.getAttestation(current.jobId).answer().bytes())
  }

  @Test
  fun a_producer_and_a_claim_look_like_this() {
    // tag::producer
    val job = agwp.jobs.enqueueJob(
      EnqueueJobRequest(queue = queue, payload = mapOf("path" to "README.md"), uniqueKey = "validate:README.md")
    ).answer()
    // end::producer
    val again = agwp.jobs.enqueueJob(EnqueueJobRequest(queue = queue, uniqueKey = "validate:README.md")).answer()
    assertEquals(job, again)

    // tag::claim
    val claimed = agwp.jobs.claimJob(ClaimJobRequest(queues = listOf(queue), worker = "w1", waitSeconds = 20)).answer().jobs
    for (each in claimed) {
      val verdict = CompleteJobRequest(worker = "w1", outcome = JobOutcome.PASSED, fencingToken = each.attempts)
      agwp.jobs.completeJob(each.jobId, verdict).answer()
    }
    // end::claim
    assertEquals(listOf(job.jobId), claimed.map { it.jobId })
    assertEquals(1, agwp.queues.getQueue(queue).answer().depth.succeeded)
    assertEquals(listOf(job.jobId), agwp.jobs.listJobs(queue = queue, state = "succeeded").answer().jobs.map { it.jobId })
  }

  @Test
  fun a_malformed_field_is_named() {
    val refused = assertThrows(AgwpException::class.java) { agwp.jobs.enqueueJob(EnqueueJobRequest(queue = "no blanks")).answer() }

    assertEquals("invalid_argument", refused.code)
    assertNull(refused.reason)
    assertEquals(listOf("queue"), refused.fieldErrors.map { it.field })
  }

  @Test
  fun what_a_later_server_adds_is_kept() {
    val later = aStub { it.answers(200, """{"job_id":"j1","queue":"q","state":"paused","outcome":"undecided","color":{"of":["a","later","release"]},
      "priority":0,"attempts":4294967295,"max_attempts":5,"summary":null,"last_error":{"reason":"r","at":"2026-12-01T10:00:00.123Z","line":7},
      "payload":{"id":9007199254740993,"size":18446744073709551615},"run_at":"2026-12-01T10:00:00.000Z",
      "created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z"}""") }

    val job = later.jobs.getJob("j1").answer()

    assertEquals(listOf("paused", "undecided", null), listOf(job.state, job.outcome, job.summary))
    assertEquals(4294967295, job.attempts)
    assertEquals(mapOf("color" to mapOf("of" to listOf("a", "later", "release"))), job.unknownFields)
    assertEquals(mapOf("line" to 7), job.lastError?.unknownFields)
    assertEquals(mapOf("id" to 9007199254740993, "size" to BigInteger("18446744073709551615")), job.payload)
  }

  @Test
  fun of_many_calls_each_is_answered_with_a_job_or_an_error_and_the_next_job() {
    aJob()
    val first = aClaim()
    val second = aJob()
    val verdict = CompleteJobRequest(worker = "w1", outcome = JobOutcome.PASSED, fencingToken = 1, claimNext = ClaimNext(listOf(queue)))

    val (ended, refused) = agwp.jobs.completeJobs(
      CompleteJobsRequest(listOf(JobCompletion(first.jobId, verdict), JobCompletion("none", verdict)))
    ).answer().results

    assertEquals(listOf("succeeded", second.jobId, null), listOf(ended.job?.state, ended.job?.nextJob?.jobId, ended.error))
    assertEquals(listOf("not_found", "unknown_job", null), listOf(refused.error?.code, refused.error?.reason, refused.job))
  }

  @Test
  fun what_a_later_server_adds_to_a_next_job_is_kept() {
    val job = """"queue":"q","state":"paused","priority":0,"attempts":1,"max_attempts":5,"run_at":"2026-12-01T10:00:00.000Z",
      "created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z""""
    val later = aStub { it.answers(200, """{"job_id":"j1",$job,"next_job":{"job_id":"j2",$job,"color":"red"}}""") }

    val next = later.jobs.failJob("j1", FailJobRequest(worker = "w1", claimNext = ClaimNext(listOf("q")))).answer().nextJob

    assertEquals(listOf("j2", "paused", mapOf("color" to "red"), null), listOf(next?.jobId, next?.state, next?.unknownFields, next?.nextJob))
  }

  @Test
  fun a_counter_that_a_long_cannot_hold_is_not_rounded() {
    val full = aStub { it.answers(200, """{"queue":"q","paused":false,
      "depth":{"queued":9223372036854775808,"claimed":0,"succeeded":0,"dead":0,"cancelled":0}}""") }

    assertThrows(IOException::class.java) { full.queues.getQueue("q").answer() }
  }

  @Test
  fun a_refusal_of_tomorrow_is_still_a_refusal() {
    val later = aStub { it.answers(418, """{"type":"urn:agwp:problem:teapot","title":"Teapot","status":418,"detail":"no coffee","code":"teapot",
      "reason":"tea_only","hint":"boil"}""", "application/problem+json") }

    val refused = assertThrows(AgwpException::class.java) { later.jobs.cancelJob("j1").answer() }

    assertEquals(listOf(418, "teapot", "tea_only", "no coffee"), listOf(refused.status, refused.code, refused.reason, refused.message))
    assertEquals(mapOf("hint" to "boil"), refused.problem?.unknownFields)
  }

  @Test
  fun an_answer_of_something_in_between_has_no_code() {
    val proxy = aStub { it.answers(502, "<html>Bad Gateway</html>", "text/html") }

    val refused = assertThrows(AgwpException::class.java) { proxy.queues.getQueue("q").answer() }

    assertEquals(502, refused.status)
    assertNull(refused.code)
  }

  @Test
  fun what_is_not_given_is_not_sent() {
    val stub = aStub { it.answers(500, "") }
    val calls = listOf(
      stub.jobs.enqueueJob(EnqueueJobRequest(queue = "q")),
      stub.jobs.completeJob("a/b?c", CompleteJobRequest(worker = "w", outcome = JobOutcome.FAILED, fencingToken = 4294967295)),
      stub.queues.updateQueue("q", UpdateQueueRequest(paused = false)),
      stub.jobs.listJobs(queue = "a:b"))

    calls.forEach { assertThrows(AgwpException::class.java) { it.answer() } }

    assertEquals(listOf(
      """POST /v1/jobs application/json; charset=UTF-8 {"queue":"q"}""",
      """POST /v1/jobs/a%2Fb%3Fc/complete application/json; charset=UTF-8 {"worker":"w","outcome":"failed","fencing_token":4294967295}""",
      """PATCH /v1/queues/q application/json; charset=UTF-8 {"paused":false}""",
      """GET /v1/jobs?queue=a%3Ab null """), received)
  }

  @Test
  fun a_call_without_an_answer_is_sent_once() {
    val stub = aStub { if (received.size == 1) it.answers(500, "") else it.close() }
    assertThrows(AgwpException::class.java) { stub.jobs.retryJob("j1").answer() }

    // On the connection of the call before, where OkHttp would try again.
    assertThrows(IOException::class.java) { stub.jobs.retryJob("j1").answer() }

    assertEquals(2, received.size)
  }

  private fun aJob(): Job = agwp.jobs.enqueueJob(EnqueueJobRequest(queue = queue)).answer()

  private fun aClaim(): Job =
    agwp.jobs.claimJob(ClaimJobRequest(queues = listOf(queue), worker = "w1", waitSeconds = 20)).answer().jobs.single()

  // tag::errors
  private fun isStillHeld(job: Job): Boolean =
    try {
      agwp.jobs.heartbeatJob(job.jobId, HeartbeatJobRequest(worker = "w1", fencingToken = job.attempts)).answer()
      true
    } catch (refused: AgwpException) {
      if (refused.code != "not_found") throw refused
      println("Stop working on it, ${refused.reason}: ${refused.message}")
      false
    }
  // end::errors

  private fun aStub(answer: (HttpExchange) -> Unit): Agwp {
    val stub = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    stub.createContext("/") {
      val body = it.requestBody.readBytes().decodeToString()
      received += "${it.requestMethod} ${it.requestURI.rawPath}${it.requestURI.rawQuery?.let { query -> "?$query" }.orEmpty()} " +
        "${it.requestHeaders.getFirst("Content-Type")} $body"
      answer(it)
    }
    stub.start()
    stubs += stub
    return Agwp("http://127.0.0.1:${stub.address.port}")
  }

  private fun HttpExchange.answers(status: Int, body: String, type: String = "application/json") {
    val bytes = body.toByteArray()
    responseHeaders["Content-Type"] = type
    sendResponseHeaders(status, if (bytes.isEmpty()) -1 else bytes.size.toLong())
    responseBody.use { it.write(bytes) }
  }
}
