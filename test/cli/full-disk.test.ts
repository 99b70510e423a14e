// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** The disk of the data is a small tmpfs that only the service sees. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { directory } from '../support/database/database.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { start } from '../support/service/process.ts'

const create = `mutation ($name: String!) {
  createProduct(input: { blockchainId: 1, maxItems: 1, name: $name, data: "{}" }) { product { id } }
}`

/** Takes all the space that is left on the disk of a file. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let size = 2 ** 20; size > 0; size = Math.floor(size / 2)) {
      const block = Buffer.alloc(size)
      while (write(file, block));
    }
  } finally {
    closeSync(file)
  }
}

function write(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length
  } catch {
    return false
  }
}

t.test(
  'a full disk refuses writes, and nothing that was acknowledged is lost',
  needs('the right to mount'),
  async t => {
    const data = await directory(t)
    const env = { DATABASE_URL: `sqlite:${data}/templates.db`, PORT: '0' }
    const mount = `set -- unshare --mount sh -c 'mount -t tmpfs -o size=24m none "$0" && exec env "$@"' ${data} "$@"`
    const service = start(t, ['serve', '--demo'], env, mount)
    const line = await service.line('stdout', /Server listening at/)
    const url = JSON.parse(line).msg.replace('Server listening at ', '')
    const { pid } = service.child
    /** Runs a command that sees the same disk. */
    const run = (t: Test, words: string[], more = {}) =>
      start(t, words, { ...env, ...more }, `set -- nsenter --mount=/proc/${pid}/ns/mnt env "$@"`).ended

    const login = { username: demo.email, password: demo.password, scope: 'read write' }
    const token = await accessToken(url, login, { authorization: basic(demo.clientId, demo.clientSecret) })
    const acknowledged: string[] = []
    const writeOne = async (name: string) => {
      const { status, body } = await query(url, token, create, { variables: { name } })
      if (body.data?.createProduct?.product) acknowledged.push(name)
      return status
    }
    const names = async (): Promise<string[]> => {
      const { body } = await query(
        url,
        token,
        '{ allProducts(where: { componentName: { equals: "DefaultProduct" } }) { name } }'
      )
      return body.data.allProducts.map(({ name }: { name: string }) => name)
    }
    const isThere = async () => {
      const found = await names()
      return acknowledged.filter(name => !found.includes(name))
    }
    t.equal(await writeOne('before'), 200)

    const filler = join(`/proc/${pid}/root`, data, 'filler')
    fill(filler)
    let refused = 0
    // The WAL has some room at first.
    for (let number = 0; number < 200 && refused < 3; number++)
      if ((await writeOne(`full ${number}`)) !== 200) refused++
    t.equal(refused, 3)
    t.same(await isThere(), [], 'reads go on')
    const backup = await run(t, ['backup', join(data, 'b.db')])
    t.match(backup, {
      code: 1,
      stderr: /cannot write .*b\.db: the copy needs .* MiB, but only .* MiB are free\n$/
    })
    const doctor = await run(t, ['doctor'])
    t.match(doctor, { code: 2, stdout: /problem {2}disk .*: writes fail\n +free space in/ })

    rmSync(filler)
    t.equal(await writeOne('after'), 200)
    t.same(await isThere(), [])
    t.match((await run(t, ['doctor', '--full'])).stdout, /ok {7}revisions {3}match all/)
    t.match(await run(t, ['backup', join(data, 'b.db')]), { code: 0 })
    service.child.kill('SIGKILL')
    await service.ended
  }
)
