// Runs on SQLite only, alone, in test:all only.
/** The image as far as it can be tried without a container engine: its file tree under the limits of a container. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { directory } from '../support/database/database.ts'
import { accessToken, basic, query, tokenRequest } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { startContainer } from './container.ts'
import { buildTree, checkout } from './image-tree.ts'

const folder = await directory(t)

/** MiB of a folder on the disk. */
const measure = (path: string) => Number(execFileSync('du', ['-sm', path]).toString().split('\t')[0])

/** MiB of gcr.io/distroless/cc-debian13, rounded up: the packages it consists of, unpacked. */
const baseSize = 32

/** The command of HEALTHCHECK in the Dockerfile. */
const healthCheck: string[] = JSON.parse(
  readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8').match(/HEALTHCHECK [\s\S]*?CMD (\[.*\])/)?.[1] ??
    '[]'
)

/** What the explorer of the checkout is made of. */
const explorerVersion = join(checkout, 'node_modules/.cache/product-templates/explorer/version')

const login = { username: demo.email, password: demo.password }
const headers = { authorization: basic(demo.clientId, demo.clientSecret) }
const text = '{ allProducts { id name data timeModified } }'

t.test(
  'the image serves under load as user 65532 with 192 MiB, a read-only root and no HOME',
  needs('the right to mount', 'cgroups'),
  async t => {
    // Before the tree is built: both look into one cache of explorers.
    execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { cwd: checkout, stdio: 'ignore' })
    const version = readFileSync(explorerVersion)
    const root = buildTree(folder)
    t.ok(
      readFileSync(join(root, 'app/dist/explorer/version')).equals(version),
      'the explorer is made of the same files'
    )
    const data = join(folder, 'volume')
    mkdirSync(data)
    chownSync(data, 65532, 65532)
    const env = {
      NODE_ENV: 'development',
      DATABASE_URL: 'sqlite:/data/templates.db',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      ADDRESS_LIMIT: '0'
    }
    const words = ['/usr/local/bin/node', '/app/dist/cli/main.js', 'serve', '--demo']
    const child = startContainer(t, { root, data, env, memory: 192 * 2 ** 20 }, words)
    let errors = ''
    child.stderr.on('data', chunk => {
      errors += chunk
    })
    const lines = createInterface(child.stdout)
    const [line] = await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => [`ended: ${errors}`])
    ])
    t.match(line, /Server listening at/)
    const url = JSON.parse(line).msg.replace('Server listening at ', '')

    // A busy machine refuses logins that would wait for seconds. They are sent again.
    const logIn = async (): Promise<number> => {
      const { status } = await tokenRequest(url, login, headers)
      return status === 503 ? logIn() : status
    }
    const logins = await Promise.all(Array.from({ length: 24 }, logIn))
    t.ok(
      logins.every(status => status === 200),
      'logins at once'
    )
    const token = await accessToken(url, login, headers)
    const ask = async (index: number) => (await query(url, token, `${text} # ${index % 40}`)).status
    const failed: number[] = []
    for (let round = 0; round < 40; round++) {
      const statuses = await Promise.all(Array.from({ length: 25 }, (_, index) => ask(round + index)))
      failed.push(...statuses.filter(status => status !== 200))
    }
    t.same(failed, [], 'a thousand queries')
    t.ok((await readdir(data)).includes('templates.db'))

    const { port } = new URL(url)
    const health = startContainer(
      t,
      { root, data, env: { ...env, PORT: port }, memory: 192 * 2 ** 20 },
      healthCheck
    )
    t.same(await once(health, 'exit'), [0, null], 'the health check of the image')

    // The child is `unshare`, which waits for the service.
    execFileSync('pkill', ['-TERM', '--parent', String(child.pid)])
    t.same(await once(child, 'exit'), [0, null])
    t.ok(measure(root) + baseSize < 200, `${measure(root)} MiB and the base image`)
  }
)
