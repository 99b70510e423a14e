import { type GraphQLResolveInfo, responsePathAsArray } from 'graphql'
import { type Actor, findActorNames } from '../../db/accounts/names.ts'
import type { Db } from '../../db/schema.ts'
import type { Snapshot } from '../../db/snapshot.ts'
import { readCostPerCharacter } from '../../db/templates/costs.ts'
import type { FilterInput } from '../../db/templates/filter/filter.ts'
import type { Plan } from '../../db/templates/filter/plan.ts'
import { type Meter, NeedsThread, needsThread } from '../../db/templates/meter.ts'
import { readDocument } from '../../db/templates/revisions/revisions.ts'
import { costOfPermits, permits, type TemplateRule } from '../../db/templates/rule.ts'
import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import type { Caller, ExecutionInput, SubscriptionStart } from '../input.ts'
import { insert, jsonPieces, WrittenJson } from './json.ts'
import type { Operation } from './operation.ts'

/**
 * What the resolvers of an operation get: the templates, and the rights of the caller. A kept response depends on these alone.
 * Functions in `db/` take it as their meter, so that their work counts for the operation and ends with it.
 */
export class Reading implements Meter {
  /** For templates: the snapshot of an operation that lists them. Its statements end with the operation. */
  readonly db: Db
  /** Aborts when the operation ends. */
  readonly signal: AbortSignal
  /** The scopes of the caller. */
  readonly scopes: readonly string[]
  /** The templates that the caller may see and write; undefined: all. */
  readonly rule: TemplateRule | undefined
  readonly settings: ExecutionInput['settings']
  /** Whether the response may be kept for equal requests, until a template changes. */
  isCacheable = true
  readonly #operation: Operation
  readonly #snapshot: Snapshot | undefined
  /** The written texts, and their places in the data: `['products', 'nodes', 0, 'document']`. */
  readonly #written: { path: (string | number)[]; json: WrittenJson }[] = []
  /** The last document that was read, and the last one that was parsed: the aliases of a template are completed in turn. */
  #lastRead: { template: FoundTemplate; data: string } | undefined
  #lastParsed: { data: string; document: ProductDocument | null } | undefined

  /** `snapshot` is undefined if the operation lists no templates. */
  constructor(operation: Operation, snapshot: Snapshot | undefined) {
    const { caller, settings } = operation.input
    this.db = snapshot?.db ?? operation.db
    this.signal = operation.signal
    this.scopes = caller.scopes
    this.rule = caller.rule
    this.settings = settings
    this.#operation = operation
    this.#snapshot = snapshot
  }

  spend(cost: number): void {
    this.#operation.spend(cost)
  }

  turn(): Promise<void> {
    return this.#operation.turn()
  }

  allowHere(cost: number): void {
    if (this.#snapshot && needsThread(this.#snapshot, cost)) this.#operation.fail(new NeedsThread())
  }

  /** Plans a filter. Equal filters share a plan. */
  plan(where: FilterInput | null | undefined): Promise<Plan> {
    if (!this.#snapshot)
      throw new TypeError('the field lists templates, so its demands must have `listsTemplates`')
    return this.#operation.plan(this.db, where)
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

  /**
   * Begins the JSON that takes the place of a field in the response, for the resolver to add to. graphql-js makes new values
   * of lists and objects, so a resolver cannot return JSON: it returns an empty value.
   */
  writeField({ path }: GraphQLResolveInfo): WrittenJson {
    const json = new WrittenJson(this.#operation)
    this.#written.push({ path: responsePathAsArray(path), json })
    return json
  }

  /** Serializes the response, with the written texts in their places. Throws RESULT_TOO_LARGE, or why the operation has ended. */
  async serialize(response: { data?: unknown }): Promise<Buffer[]> {
    for (const { path, json } of this.#written) insert(json, response.data, path)
    const whole = new WrittenJson(this.#operation)
    await whole.addPieces(jsonPieces(response))
    return whole.bytes
  }
}

/** What a mutation, a subscription and a field of `requestQuery` get besides: who asks, and the database itself. */
export class RequestReading extends Reading {
  readonly caller: Caller
  /** For administration: never a snapshot or a replica. Its statements end with the operation. */
  readonly primary: Db
  /** For writing: the same, but its statements finish even after the operation has ended. */
  readonly store: Db
  readonly links: ExecutionInput['links']
  readonly change: ExecutionInput['change']
  /** What a subscription asks for. It then has no result. */
  subscription: SubscriptionStart | undefined
  /** Whether nobody, not even the client, may keep the response. */
  isSecret = false
  readonly #lifetime: ExecutionInput['lifetime']

  constructor(operation: Operation, snapshot: Snapshot | undefined) {
    super(operation, snapshot)
    const { caller, links, change, lifetime } = operation.input
    this.caller = caller
    this.primary = operation.db
    this.store = operation.store
    this.links = links
    this.change = change
    this.#lifetime = lifetime
  }

  /** Says what becomes of the operation if its time is over now. */
  noteIfLate(note: ExecutionInput['lifetime']['ifLate']): void {
    this.#lifetime.ifLate = note
  }
}
