"""The worker runtime for asyncio."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Awaitable, Callable, Optional, Sequence, Type

from agwp._claim import ClaimedJob
from agwp._client import Client
from agwp._outcome import Outcome
from agwp._worker import Worker, WorkerListener


class AsyncWorker:
    """As :class:`Worker`, with handlers that are coroutines on the event loop :meth:`run` is awaited on.

    A handler is cancelled (``asyncio.CancelledError`` is raised in it) when its claim is lost and when the grace of :meth:`close` is over.
    Claims, heartbeats and reports run on threads, so a handler that blocks the loop does not lose its claim. Use it in an ``async with``
    statement, which closes it. The listener is called on the worker's threads, not on the loop. Arguments and errors as for
    :class:`Worker`.
    """

    def __init__(
        self,
        client: Client,
        label: str,
        queues: Sequence[str],
        handler: Callable[[ClaimedJob], Awaitable[Outcome]],
        *,
        lease_seconds: int = 60,
        wait_seconds: int = 20,
        concurrency: int = 1,
        grace: float = 10.0,
        require_fencing: bool = False,
        listener: Optional[WorkerListener] = None,
    ) -> None:
        self._handler = handler
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._worker = Worker(
            client,
            label,
            queues,
            self._handle,
            lease_seconds=lease_seconds,
            wait_seconds=wait_seconds,
            concurrency=concurrency,
            grace=grace,
            require_fencing=require_fencing,
            listener=listener,
        )

    async def run(self) -> None:
        """Claims and works until :meth:`stop` or :meth:`close`, or until it is cancelled. Raises as :meth:`Worker.run` does."""
        self._loop = asyncio.get_running_loop()
        try:
            await _on_a_thread(self._worker.run)
        except asyncio.CancelledError:
            self._worker.stop()
            raise

    def stop(self) -> None:
        """Claims no more, so that :meth:`run` returns. Does not wait: a signal handler may call it."""
        self._worker.stop()

    async def close(self) -> None:
        """Claims no more; waits for running handlers for the grace time, then cancels them and hands their claims back."""
        await _on_a_thread(self._worker.close)

    async def __aenter__(self) -> "AsyncWorker":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    def _handle(self, job: ClaimedJob) -> Outcome:
        loop = self._loop
        assert loop is not None
        # Not the future's cancel(): that would let this thread go on, and hand the claim back, while the handler still cleans up.
        return asyncio.run_coroutine_threadsafe(self._task(job, loop), loop).result()

    async def _task(self, job: ClaimedJob, loop: asyncio.AbstractEventLoop) -> Outcome:
        task = asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            try:
                loop.call_soon_threadsafe(task.cancel)
            except RuntimeError:
                # The loop is closed, and the task with it.
                pass

        job._claim.on_stop(cancel)
        return await self._handler(job)


async def _on_a_thread(work: Callable[[], None]) -> None:
    """A thread of its own: those of the loop's executor are few, and a worker holds its one for as long as it runs."""
    loop = asyncio.get_running_loop()
    done: "asyncio.Future[None]" = loop.create_future()

    def settle(error: Optional[BaseException]) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        error: Optional[BaseException] = None
        try:
            work()
        except BaseException as raised:  # Raised again where it is awaited.
            error = raised
        try:
            loop.call_soon_threadsafe(settle, error)
        except RuntimeError:
            # The loop was closed: nobody waits any more.
            pass

    threading.Thread(target=run, name="agwp-worker", daemon=True).start()
    await done
