import { isInMemory } from '../db/url.ts'
import { features } from '../features/load.ts'

/** Finds options or settings that contradict each other. `names` has their names for the messages. */
export function findContradictions(
  given: Readonly<Record<string, unknown>>,
  names: Record<string, string> = {}
): string[] {
  const { workers, reusePort, port, socketPath, healthPort, database, tlsCertFile, tlsKeyFile } = given
  const { authenticate } = given
  const nameOf = (option: string) => names[option] ?? option
  const problems: string[] = []
  if (authenticate && given.explorer)
    problems.push('explorer needs access tokens, which authenticate replaces: give only one of them')
  if (Number(workers) > 1 && isInMemory(String(database)))
    problems.push('WORKERS must be 1 for a database in memory: each worker would have its own database')
  if ((Number(workers) > 1 || reusePort === true) && socketPath !== undefined)
    problems.push('SOCKET_PATH is for a single process: WORKERS and REUSE_PORT share a port')
  if (Number(healthPort) > 0 && Number(healthPort) + Number(workers) > 65_536)
    problems.push('HEALTH_PORT must be lower: each of the WORKERS uses the next higher port')
  const fromHealthPort = Number(port) - Number(healthPort)
  const isHealthPort = Number(healthPort) > 0 && fromHealthPort >= 0 && fromHealthPort < Number(workers ?? 1)
  if (isHealthPort && socketPath === undefined)
    problems.push('PORT must be another port than HEALTH_PORT and, with WORKERS, the next higher ones')
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    problems.push(
      `${tlsCertFile === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE'} is missing: TLS needs a certificate and its key`
    )
  for (const { findContradictions } of features) problems.push(...(findContradictions?.(given, nameOf) ?? []))
  return problems
}
