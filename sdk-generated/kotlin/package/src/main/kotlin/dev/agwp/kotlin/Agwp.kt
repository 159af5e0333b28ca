package dev.agwp.kotlin

import com.fasterxml.jackson.annotation.JsonAnyGetter
import com.fasterxml.jackson.annotation.JsonAnySetter
import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.module.kotlin.readValue
import dev.agwp.kotlin.apis.AuditApi
import dev.agwp.kotlin.apis.IntegrationsApi
import dev.agwp.kotlin.apis.JobsApi
import dev.agwp.kotlin.apis.LeasesApi
import dev.agwp.kotlin.apis.QueuesApi
import dev.agwp.kotlin.infrastructure.ApiClient
import dev.agwp.kotlin.infrastructure.Serializer
import dev.agwp.kotlin.models.FieldError
import dev.agwp.kotlin.models.Problem
import java.util.concurrent.TimeUnit
import okhttp3.OkHttpClient
import retrofit2.Call

/** An AGWP server: one property for each tag of the contract. Safe for use by many threads. */
class Agwp(server: String, http: OkHttpClient.Builder = http()) {
  private val client = ApiClient(server, http)

  val jobs: JobsApi = client.createService(JobsApi::class.java)
  val queues: QueuesApi = client.createService(QueuesApi::class.java)
  val audit: AuditApi = client.createService(AuditApi::class.java)
  val leases: LeasesApi = client.createService(LeasesApi::class.java)
  val integrations: IntegrationsApi = client.createService(IntegrationsApi::class.java)

  companion object {
    /** A claim waits at most 60 seconds for a job; the answer needs some time too. */
    private const val ANSWER_SECONDS = 90L

    /** To build on, for a proxy or an interceptor. OkHttp would send a call again on a new connection, which is not safe for all of them. */
    @JvmStatic
    fun http(): OkHttpClient.Builder =
      OkHttpClient.Builder().readTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).retryOnConnectionFailure(false)
  }
}

/**
 * Sends the call and waits for the answer.
 *
 * @throws AgwpException when the server refused it
 * @throws java.io.IOException when no answer came, or none that can be read: whether the server did it is not known
 */
fun <T : Any> Call<T>.answer(): T {
  val response = execute()
  return response.body()
    ?: throw AgwpException(response.code(), problemIn(response.errorBody()?.string().orEmpty()), response.headers()["X-Request-Id"])
}

private fun problemIn(body: String): Problem? =
  try {
    Serializer.jacksonObjectMapper.readValue<Problem?>(body)
  } catch (noProblem: JsonProcessingException) {
    // Something between the client and the server answered.
    null
  }

/**
 * The call was refused: decide by [code], and for a call on a job, a lease or an integration by [reason]. Words this release does not know are given as they came.
 *
 * @property status the HTTP status
 * @property problem what the server said; null when the answer was not of the contract, so that it came from something in between
 * @property requestId what the server's log calls the request
 */
class AgwpException(val status: Int, val problem: Problem?, val requestId: String?) :
  RuntimeException(problem?.detail ?: "HTTP status $status without a problem of AGWP") {
  val code: String? get() = problem?.code
  val reason: String? get() = problem?.reason
  val fieldErrors: List<FieldError> get() = problem?.errors.orEmpty()
}

/** An answer of the server. What a later release adds to it is kept in [unknownFields]. */
open class Message<K, V> {
  @field:JsonAnySetter
  @get:JsonAnyGetter
  val unknownFields: Map<K, V> = LinkedHashMap()
}
