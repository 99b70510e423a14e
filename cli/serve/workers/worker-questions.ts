import type { Question, WorkerAnswer } from './messages.ts'

/** Milliseconds that a worker has to answer. */
const timeout = 3000

/** Questions to a worker that wait for their answers. */
export class WorkerQuestions {
  readonly #send: (question: Question) => void
  readonly #waiting = new Map<number, (value: unknown) => void>()
  #lastId = 0

  constructor(send: (question: Question) => void) {
    this.#send = send
  }

  /** Resolves with the answer; with undefined if the worker does not give one in time. */
  ask(about: Question['about']): Promise<unknown> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => this.settle({ id, value: undefined }), timeout).unref()
    this.#waiting.set(id, value => {
      clearTimeout(timer)
      resolve(value)
    })
    this.#send({ type: 'question', id, about })
    return promise
  }

  settle({ id, value }: Pick<WorkerAnswer, 'id' | 'value'>): void {
    this.#waiting.get(id)?.(value)
    this.#waiting.delete(id)
  }
}
