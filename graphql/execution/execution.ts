import type { OperationTypeNode } from 'graphql'
import { type Actor, findActorNames } from '../../db/accounts/names.ts'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { readCostPerCharacter, textCostPerCharacter } from '../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/filter.ts'
import { type Plan, planFilter } from '../../db/templates/filter/plan.ts'
import { type Meter, NeedsThread, needsThread } from '../../db/templates/meter.ts'
import { readDocument } from '../../db/templates/revisions/revisions.ts'
import { costOfPermits, permits, type TemplateRule } from '../../db/templates/rule.ts'
import type { Snapshot } from '../../db/templates/snapshot.ts'
import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import { takeTurn } from '../../event-loop.ts'
import { inSpan } from '../../tracing.ts'
import { makeError } from '../errors.ts'
import { ResultJson } from './json.ts'
import type { Caller, Operation, OperationInput, SubscriptionStart } from './operation.ts'

/**
 * An execution of an operation: its budget, its snapshot, its result and its end. Resolvers get it as their
 * {@link Reading}. Functions in `db/` take it as their meter, so that their work counts for the operation and ends with it.
 */
export class Execution implements Meter {
  readonly operation: Operation
  readonly caller: Caller
  /** The scopes of the caller. */
  readonly scopes: readonly string[]
  /** The templates that the caller may see and write; undefined: all. */
  readonly rule: TemplateRule | undefined
  readonly settings: OperationInput['settings']
  readonly links: OperationInput['links']
  readonly change: OperationInput['change']
  /** For writing. Its statements finish even after the execution has ended. */
  readonly store: Db
  /** Aborts when the execution ends. */
  readonly signal: AbortSignal
  /** Known when the operation is admitted, like the snapshot, which only one that lists templates has. */
  type: OperationTypeNode | undefined
  snapshot: Snapshot | undefined
  /** Whether the response may be kept for equal requests, until a template changes. */
  isCacheable = true
  /** Whether nobody, not even the client, may keep the response. */
  isSecret = false
  /** What a subscription asks for. It then has no result. */
  subscription: SubscriptionStart | undefined
  readonly result = new ResultJson(this)
  /** The database itself. Its statements end with the execution. */
  readonly #db: Db
  readonly #ended = new AbortController()
  readonly #plans = new Map<string, Promise<Plan>>()
  /** The work that is last in the row. */
  #last: Promise<unknown> = Promise.resolve()
  /** The cost that counts for the limit: all but the cost of the result's bytes. */
  #spent = 0
  /** The last document that was read, and the last one that was parsed: the aliases of a template are completed in turn. */
  #lastRead: { template: FoundTemplate; data: string } | undefined
  #lastParsed: { data: string; document: ProductDocument | null } | undefined

  constructor(operation: Operation) {
    const { db, caller, settings, links, change } = operation.input
    this.operation = operation
    this.caller = caller
    this.scopes = caller.scopes
    this.rule = caller.rule
    this.settings = settings
    this.links = links
    this.change = change
    this.signal = this.#ended.signal
    this.#db = operationDb(db, { signal: this.signal })
    this.store = operationDb(db)
    const { signal: outer } = operation
    const end = () => this.#ended.abort(outer.reason)
    outer.addEventListener('abort', end, { signal: this.signal })
    if (outer.aborted) end()
  }

  /** For templates: the snapshot of an operation that lists them. Its statements end with the execution. */
  get db(): Db {
    return this.snapshot?.db ?? this.#db
  }

  /** For administration: the same, but never a replica. */
  get primary(): Db {
    // Another connection may have to wait until that of this snapshot is free.
    return this.snapshot?.replica ? this.#db : this.db
  }

  spend(more: number): void {
    const { cost } = this.operation
    // Refused work is not done, so it is not counted.
    if (this.#spent + more > cost.limit) this.fail(this.operation.makeCostError(this.#spent + more))
    cost.actual += more
    this.#spent += more
  }

  allowHere(cost: number): void {
    if (this.snapshot && needsThread(this.snapshot, cost)) this.fail(new NeedsThread())
  }

  async turn(): Promise<void> {
    this.signal.throwIfAborted()
    await takeTurn()
    this.signal.throwIfAborted()
  }

  /** Runs work after all work before it. If the execution ends first, it never settles. */
  evaluate<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(async () => {
      await takeTurn()
      return this.signal.aborted ? neverSettle<Result>() : work()
    })
    this.#last = run.catch(() => {})
    return run
  }

  /**
   * Plans `where` together with the rule of the caller. Equal filters share a plan, so their matches are found once. Rejects
   * if `where` is wrong.
   */
  plan(where: FilterInput | null | undefined): Promise<Plan> {
    if (!this.snapshot)
      throw new TypeError('the field lists templates, so its demands must have `listsTemplates`')
    const text = JSON.stringify(where ?? {})
    const plan = this.#plans.get(text) ?? inSpan('plan', {}, () => this.#createPlan(where, text))
    this.#plans.set(text, plan)
    return plan
  }

  async #createPlan(where: FilterInput | null | undefined, text: string): Promise<Plan> {
    await this.turn()
    const filter = toFilter(where, this.rule)
    this.spend((text.length + (this.rule?.text.length ?? 0)) * textCostPerCharacter)
    return planFilter(this.db, filter)
  }

  /** Whether the caller sees a template with these contents. */
  sees(template: ProductTemplate): boolean {
    const { rule } = this
    if (rule) this.spend(costOfPermits(rule, template))
    return permits(rule, template)
  }

  /** Finds the names of people. The response is then not kept, because names may change when the templates do not. */
  findNames(actors: Actor[]): ReturnType<typeof findActorNames> {
    this.isCacheable = false
    return findActorNames(this.db, actors)
  }

  /** Returns the document of a template. Reads a long document as it was when the template was found. */
  async readDocument(template: FoundTemplate): Promise<string> {
    if (this.#lastRead?.template !== template) {
      const data = await readDocument(this.db, template, this)
      if (data === undefined) throw unavailable('the history of a template was deleted while it was read')
      this.#lastRead = { template, data }
    }
    return this.#lastRead.data
  }

  parseDocument(data: string): ProductDocument | null {
    if (this.#lastParsed?.data !== data) {
      this.spend(data.length * readCostPerCharacter)
      this.#lastParsed = { data, document: parseDocument(data) }
    }
    return this.#lastParsed.document
  }

  /** Says what becomes of the operation if its time is over now. */
  noteIfLate(note: Operation['ifLate']): void {
    this.operation.ifLate = note
  }

  /** Resolves with the result. Rejects as soon as the execution ends, without waiting for its unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const fail = () => reject(this.signal.reason)
    if (this.signal.aborted) fail()
    else this.signal.addEventListener('abort', fail, { once: true })
    return Promise.race([result, promise])
  }

  /** Aborts what still runs when the result is complete: after a field has failed, graphql-js does not stop the others. */
  close(): void {
    this.#ended.abort(resultIsComplete)
  }

  /** Aborts all work, and throws the error. If the execution had ended before, throws why. */
  fail(error: unknown): never {
    this.#ended.abort(error)
    throw this.signal.reason
  }
}

/** Never settles: after the end of an execution, thousands of errors of its fields would hold up the event loop. */
const neverSettle = <Result>() => new Promise<Result>(() => {})

const resultIsComplete = makeError('the result is complete', 'COMPLETE')
