/** Executes an operation that is too large for the service's thread on a worker. */
import { type GraphQLFormattedError, OperationTypeNode } from 'graphql'
import { inSpan } from '../../runtime/tracing.ts'
import { maxCostHere, maxShortCost } from '../costs.ts'
import type { Executed } from '../execute.ts'
import type { Operation } from '../operation.ts'
import { tooLarge } from '../result.ts'
import type { WorkerAnswer } from './task.ts'
import { WorkerMemoryExceeded, type Workers } from './workers.ts'

/** Milliseconds in which a worker that writes must report that its time is over. */
const grace = 5000

/** Rejects as soon as the operation ends, and with RESULT_TOO_LARGE if the worker runs out of memory. */
export async function executeOnWorker(operation: Operation): Promise<Executed> {
  const { request, caller, links, workers, token, version, settings, report } = operation.input
  const { query, variables, operationName } = request
  const task = {
    request: { query: query as string, variables: variables ?? null, operationName: operationName ?? null },
    caller: { ...caller, rule: caller.rule?.text },
    version,
    links: { issuer: links.issuer(), providers: links.providers },
    maxResultSize: settings.graphqlMaxResultSize,
    milliseconds: operation.milliseconds
  }
  if (operation.type === OperationTypeNode.MUTATION) operation.waitLonger(grace)
  const { requested } = operation.cost
  // An operation that was taken for small may take any time.
  const isShort = requested > maxCostHere && requested < maxShortCost
  const run = () => (workers as Workers).run(task, { token, isShort, signal: operation.signal })
  const answer = await inSpan('worker', {}, run).catch(error => {
    throw error instanceof WorkerMemoryExceeded ? tooLarge(settings.graphqlMaxResultSize) : error
  })
  for (const { errorId, ...error } of answer.reports) report(error, errorId)
  operation.cost.actual += answer.cost
  return toExecuted(answer)
}

function toExecuted({ body, errors, hasData, isCacheable, isSecret }: WorkerAnswer): Executed {
  const result: { errors?: GraphQLFormattedError[]; data?: null } = {
    ...(errors && { errors }),
    ...(hasData && { data: null })
  }
  return { result, body, isCacheable, isSecret }
}
