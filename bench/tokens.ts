import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type ClientCredentials, clientLoad, refreshToken, tokenLoad, tokenRequest } from './credentials.ts'
import { tokenPlace } from './load.ts'
import { runCommand, startService } from './servers.ts'
import { cores, measureServer, type Started, type Subject } from './subject.ts'

/** The names that `--only` accepts. */
export const tokenTitles = {
  argon2: 'argon2id alone, no server',
  'token-password': 'password',
  'token-client': 'client_credentials',
  'token-refresh': 'refresh_token'
}

/** Returns the subjects of the token endpoint, on a database with the demo credentials. */
export async function tokenSubjects(database: string, connections: number): Promise<Subject[]> {
  const id = 'bench'
  const grants = ['--grant', 'password', '--grant', 'refresh_token']
  const client = { id, secret: await runCommand(database, ['client', 'add', id, ...grants]) }
  const starts: Record<keyof typeof tokenTitles, () => Promise<Started>> = {
    argon2: startArgon2,
    'token-password': () => startGrant(database, connections, tokenLoad, undefined),
    'token-client': () => startGrant(database, connections, clientLoad, cores?.server),
    'token-refresh': () => startRefresh(database, connections, client)
  }
  return Object.entries(starts).map(([name, start]) => ({
    name,
    title: tokenTitles[name as keyof typeof tokenTitles],
    ...(name === 'token-password' && { baseline: 'argon2' }),
    start
  }))
}

async function startGrant(
  database: string,
  connections: number,
  request: typeof tokenLoad,
  core: number | undefined
): Promise<Started> {
  const service = await startService(database, [], { core })
  const options = { url: `${service.url}/oauth/token`, ...request, connections }
  return {
    measure: seconds => measureServer(service, { ...options, seconds }),
    stop: () => service.stop()
  }
}

/** A refresh token works only once, so each connection has its own login. */
async function startRefresh(
  database: string,
  connections: number,
  client: ClientCredentials
): Promise<Started> {
  const service = await startService(database, [], { core: cores?.server })
  const url = `${service.url}/oauth/token`
  const request = tokenRequest(client, { grant_type: 'refresh_token', refresh_token: tokenPlace })
  return {
    async measure(seconds) {
      const refreshTokens: string[] = []
      while (refreshTokens.length < connections) refreshTokens.push(await refreshToken(service.url, client))
      return measureServer(service, { url, ...request, connections, seconds, refreshTokens })
    },
    stop: () => service.stop()
  }
}

/**
 * Measures the upper bound of password grants: verifying passwords without a server. It is not pinned to a core,
 * because the service leaves a core free of hashes. It runs as many hashes at once as the service.
 */
async function startArgon2(): Promise<Started> {
  const program = new URL('argon2.ts', import.meta.url).pathname
  return {
    async measure(seconds) {
      const { stdout } = await promisify(execFile)(process.execPath, [program, String(seconds)])
      return { p50: Number.NaN, p99: Number.NaN, mebibytes: Number.NaN, ...JSON.parse(stdout) }
    },
    stop: async () => {}
  }
}
