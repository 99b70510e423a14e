import { readFile } from 'node:fs/promises'
import type { OptionValues } from 'commander'
import type { GrantAuth } from '../../packages/client/index.ts'
import { demo } from '../../seeds/credentials.ts'
import { type Command, CommandError, readInteger, UsageError } from '../../terminal/command.ts'
import { jsonOption, printList } from '../../terminal/result.ts'
import { contractQuery } from '../serve/banner.ts'
import { importAutocannon, runLoad } from './load.ts'

const defaultUrl = 'http://127.0.0.1:3000'

/** Milliseconds that the first query may take. */
const timeoutMs = 300_000

export const command: Command = {
  summary: 'Load-test a running service',
  args: '[url]',
  settings: 'none',
  options: {
    '--query <query>': 'GraphQL query; default: allProducts with its nine fields',
    '--connections <count>': 'connections that send requests; default: 16',
    '--duration <seconds>': 'duration of the test; default: 10',
    '--client-id <id>': `client that gets the token; default: ${demo.clientId}`,
    '--client-secret-file <file>': 'file with the secret of the client',
    '--username <email>': 'user; default: none, or the demo user for the demo client',
    '--password-file <file>': 'file with the password of the user',
    ...jsonOption
  },
  details: `
Gets one token. Then each connection sends the same query again as soon as the last response is complete. The default
URL is ${defaultUrl}. Without a user, the token is for the client itself (client_credentials). The latencies p50 and p99 are
in milliseconds. The service answers repeated queries from memory, unless it runs with GRAPHQL_RESPONSE_CACHE_SIZE=0. Needs
the package autocannon: \`npm install autocannon\`.`,
  async run({ options }, given = defaultUrl) {
    const url = parseUrl(given)
    const connections = readInteger('--connections', options.connections ?? '16', 1, 10_000)
    const seconds = readInteger('--duration', options.duration ?? '10', 1, 86_400)
    const autocannon = await importAutocannon()
    const query = options.query ?? contractQuery
    const { createClient } = await import('../../packages/client/index.ts')
    const auth = await readCredentials(options)
    const client = createClient({ url, auth, timeout: timeoutMs, retry: { attempts: 1 } })
    const token = await client.token().catch(throwFailure('no token', `${url}/oauth/token`))
    // A GraphQL error may have the status 200, so the load alone does not show it.
    await client.request(query).catch(throwFailure('the query failed', `${url}/graphql`))
    const request = {
      method: 'POST' as const,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: {} })
    }
    const load = { url: `${url}/graphql`, ...request, connections, duration: seconds }
    const result = await runLoad(autocannon, load)
    const { perSecond, bytesPerSecond, p50, p99, errors, requests } = result
    const rates = { 'req/s': perSecond.toFixed(), 'MB/s': (bytesPerSecond / 1e6).toFixed(1) }
    const row = { ...rates, 'p50 ms': p50.toFixed(2), 'p99 ms': p99.toFixed(2), errors }
    printList(options, [row], { url, connections, ...result })
    if (errors > 0) throw new CommandError(`${errors} requests failed`)
    if (requests === 0) throw new CommandError('no request was answered in time: give a longer --duration')
  }
}

/** Returns an http or https URL without the slash at its end. Messages have the URL, so it must have no password. */
function parseUrl(given: string): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('the URL must start with http:// or https://')
  if (url.username || url.password) throw new UsageError('the URL must have no user and no password')
  return given.replace(/\/+$/, '')
}

/** Reads the credentials from the options. Secrets come from files, because others can read a command line. */
async function readCredentials(options: OptionValues): Promise<GrantAuth> {
  const { clientId = demo.clientId, clientSecretFile, username, passwordFile } = options
  if (!options.clientId !== !clientSecretFile)
    throw new UsageError('--client-id and --client-secret-file belong together')
  if (!username !== !passwordFile) throw new UsageError('--username and --password-file belong together')
  const clientSecret = clientSecretFile
    ? await readSecretFile('client-secret-file', clientSecretFile)
    : demo.clientSecret
  if (username) {
    const password = await readSecretFile('password-file', passwordFile)
    return { grant: 'password', clientId, clientSecret, username, password }
  }
  return options.clientId
    ? { grant: 'client_credentials', clientId, clientSecret }
    : { grant: 'password', clientId, clientSecret, username: demo.email, password: demo.password }
}

async function readSecretFile(option: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new UsageError(`--${option} cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
  }
}

/** Makes a function that rethrows an error of the client as a CommandError. */
const throwFailure =
  (what: string, url: string) =>
  (error: Error & { status?: number }): never => {
    if (error.status !== undefined) throw new CommandError(`${what}: ${error.status} ${error.message}`)
    if (error.name === 'TimeoutError') throw new CommandError(`${what}: ${error.message}`)
    // `fetch` hides the system's error, such as ECONNREFUSED, in the cause of its own.
    const { code, message } = ((error.cause as Error)?.cause as NodeJS.ErrnoException) ?? error
    throw new CommandError(`${url} cannot be reached: ${code ?? message}`)
  }
