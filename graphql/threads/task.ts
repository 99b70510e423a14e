/** An operation as plain data, on its way to a worker thread and back. */
import type { GraphQLFormattedError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { MercuriusPlugin } from 'mercurius'
import type { Db } from '../../db/schema.ts'
import { type TemplateRule, toRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { unitsPerMillisecond } from '../admission/unit-costs.ts'
import { executeOperation } from '../execute.ts'
import type { Caller } from '../operation/input.ts'
import { Operation } from '../operation/operation.ts'
import type { Body } from '../result.ts'

export interface WorkerTask {
  request: { query: string; variables?: Record<string, unknown> | null; operationName?: string | null }
  /** `rule` is its text. */
  caller: Omit<Caller, 'rule'> & { rule: string | undefined }
  /** `Version.templates`. */
  version: string
  /** The address of the service. */
  issuer: string
  /** Bytes. */
  maxResultSize: number
  /** The time that is left for the operation. */
  milliseconds: number
}

export interface WorkerAnswer {
  /** The response as JSON. Each piece has memory of its own. */
  body: Body
  errors: GraphQLFormattedError[] | undefined
  /** Whether the response has `data`. */
  hasData: boolean
  isCacheable: boolean
  isSecret: boolean
  /** In units of cost. */
  cost: number
  /** Why it has no result. */
  failureMessage: string | undefined
  /** Errors that were masked for the caller. */
  reports: WorkerReport[]
}

/** An error that was masked. The caller got `errorId` instead. */
interface WorkerReport {
  message: string
  stack: string | undefined
  code?: string
  errorId: string
}

/** Executes an operation. Rejects with an error that is not the caller's. */
export async function executeTask(
  graphql: MercuriusPlugin,
  db: Db,
  settings: ServiceSettings,
  { request, caller, version, issuer, maxResultSize, milliseconds }: WorkerTask
): Promise<WorkerAnswer> {
  const begun = readProcessorTime()
  const reports: WorkerReport[] = []
  const operation = new Operation({
    request,
    caller: { ...caller, rule: caller.rule === undefined ? undefined : findRule(caller.rule) },
    settings: { ...settings, graphqlMaxResultSize: maxResultSize },
    issuer: () => issuer,
    change: undefined,
    db,
    workers: undefined,
    token: '',
    version,
    milliseconds,
    takeSlot: () => ({ begun: performance.now(), release() {} }),
    checkType() {},
    report: (error, errorId) => void reports.push(toReport(error, errorId))
  })
  const executed = await executeOperation(graphql, operation)
  const { result, body, isCacheable = false, isSecret = false, failure } = executed
  return {
    body,
    errors: result.errors,
    hasData: 'data' in result,
    isCacheable,
    isSecret,
    cost: (readProcessorTime() - begun) * unitsPerMillisecond,
    failureMessage: failure?.message,
    reports
  }
}

/** Rules by their texts. Many operations have the same one. */
const rules = new LRUCache<string, TemplateRule>({ max: 100 })

function findRule(text: string): TemplateRule {
  const rule = rules.get(text) ?? toRule(JSON.parse(text))
  rules.set(text, rule)
  return rule
}

function toReport(error: unknown, errorId: string): WorkerReport {
  const { message, stack, code } = error as NodeJS.ErrnoException
  return { message, stack, ...(code && { code }), errorId }
}

/** Returns the processor time of this thread in milliseconds. Before Node.js 23.9, returns the time of a clock instead. */
function readProcessorTime(): number {
  if (!process.threadCpuUsage) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
