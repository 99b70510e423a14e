import { writeSync } from 'node:fs'

/** Maximum bytes per write. A pipe accepts these in one piece (PIPE_BUF), so lines of processes do not mix. */
const maxWrite = 4096
/**
 * Several lines share one write, because a system call costs more than a line. The write happens above `minLength`
 * bytes, or after `maxDelay` milliseconds.
 */
const minLength = 3072
const maxDelay = 20
/** Maximum bytes that wait for a reader that is behind: the lines of about 20,000 requests. */
const maxWaiting = 8 * 2 ** 20
/** Maximum milliseconds that the exit waits for such a reader, and between two attempts. */
const maxExitDelay = 1000
const exitRetryDelay = 10

const lineFeed = 10

/** Lines that could not be written. */
interface DroppedLines {
  dropped: number
  /** The error of the system, such as ENOSPC. EAGAIN means that the reader was too far behind. */
  reason: string
}

/** A stream of Node.js for a pipe, a socket or a terminal. */
interface Stream {
  readonly fd: number
  readonly _handle?: { setBlocking?(isBlocking: boolean): void }
}

/**
 * Writes log lines to standard output. Never throws, and never waits before the exit: if nothing can be written, lines
 * are dropped and counted. The destinations of pino try again for ever instead, and the process then answers nothing,
 * not even SIGTERM.
 */
export class LogOutput {
  readonly #stream: Stream
  readonly #report: (lines: DroppedLines) => void
  /** Whole lines that share a write. */
  readonly #batches: { text: string; size: number }[] = []
  /** The batch in progress, and how much of it is written. */
  #batch = Buffer.alloc(0)
  #written = 0
  /** Bytes of all lines that wait. */
  #size = 0
  #isStalled = false
  /** Whether the last written line is incomplete. */
  #isCut = false
  #unreported: DroppedLines | undefined
  #timer: NodeJS.Timeout | undefined
  /** Lines dropped until now. */
  dropped = 0

  /** `report` is called when lines can be written again. */
  constructor(stream: Stream, report: (lines: DroppedLines) => void) {
    this.#stream = stream
    this.#report = report
    process.once('exit', () => this.#end())
  }

  write(line: string): void {
    if (this.#size > maxWaiting) return void this.#drop(1, 'EAGAIN')
    const size = Buffer.byteLength(line)
    const last = this.#batches.at(-1)
    if (last && last.size + size <= maxWrite) {
      last.text += line
      last.size += size
    } else this.#batches.push({ text: line, size })
    this.#size += size
    if (this.#size >= minLength && !this.#isStalled) this.flushSync()
    else this.#timer ??= setTimeout(() => this.flushSync(), maxDelay).unref()
  }

  /** Writes all lines that wait, as far as possible at once. Pino calls this after a fatal error. */
  flushSync(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isStalled = false
    try {
      this.#writeAll()
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      this.#isStalled = code === 'EAGAIN'
      if (this.#isStalled) this.#timer = setTimeout(() => this.flushSync(), maxDelay).unref()
      else this.#dropWaiting(code)
      return
    }
    const lines = this.#unreported
    this.#unreported = undefined
    if (lines) this.#report(lines)
  }

  #writeAll(): void {
    const { fd, _handle: handle } = this.#stream
    // Processes share this state of a pipe, and each process of Node.js that ends makes the pipe blocking again.
    handle?.setBlocking?.(false)
    if (this.#isCut && this.#size > 0) {
      writeSync(fd, '\n')
      this.#isCut = false
    }
    while (this.#size > 0) {
      if (this.#written === this.#batch.length) {
        this.#batch = Buffer.from(this.#batches.shift()?.text ?? '')
        this.#written = 0
      }
      const count = writeSync(fd, this.#batch, this.#written)
      this.#written += count
      this.#size -= count
    }
  }

  #dropWaiting(reason: string): void {
    this.#isCut ||= this.#written > 0 && this.#batch[this.#written - 1] !== lineFeed
    const rest = this.#batch.toString('latin1', this.#written)
    const lines = [rest, ...this.#batches.map(({ text }) => text)].join('').split('\n').length - 1
    this.#batches.length = 0
    this.#written = this.#batch.length
    this.#size = 0
    this.#drop(lines, reason)
  }

  #drop(lines: number, reason: string): void {
    this.dropped += lines
    this.#unreported = { dropped: (this.#unreported?.dropped ?? 0) + lines, reason }
  }

  #end(): void {
    const end = performance.now() + maxExitDelay
    const never = new Int32Array(new SharedArrayBuffer(4))
    for (this.flushSync(); this.#isStalled && performance.now() < end; this.flushSync())
      Atomics.wait(never, 0, 0, exitRetryDelay)
    // Writes the report of dropped lines, too.
    if (!this.#isStalled) this.flushSync()
  }
}
