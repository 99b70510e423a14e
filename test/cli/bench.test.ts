// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** `bench` against a running service, from outside. */

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { t } from 'tap'
import { directory, migratedUrl } from '../support/database/database.ts'
import { readBlock } from '../support/documents.ts'
import { migrated, run, serve } from '../support/service/process.ts'
import { remember, secret } from '../support/service/secrets.ts'
import { runInside } from './inside.ts'

/** Milliseconds for an answer of a service that leaves the processor to others. */
const slow = 20

t.test('bench measures a service with demo data', async t => {
  const service = await serve(t, ['--demo'], { DATABASE_URL: await migratedUrl(t) })
  const [, line = ''] = readBlock('run: bench').match(/^npx product-templates (bench .*)$/m) ?? []
  const words = line.replace('http://127.0.0.1:3000', service.url).replace('--duration 10', '--duration 1')
  const printed = await run(t, words.split(' '))
  t.equal(printed.code, 0, printed.stderr)
  t.match(printed.stdout, /^req\/s +MB\/s +p50 ms +p99 ms +errors\n\d+ +\d+\.\d +\d+\.\d\d +\d+\.\d\d +0\n$/)

  const two = ['--query', '{ allProducts { id name } }', '--connections', '2']
  const { code, stdout } = await run(t, ['bench', `${service.url}/`, '--duration', '1', '--json', ...two])
  t.equal(code, 0)
  const result = JSON.parse(stdout)
  t.match(result, {
    url: service.url,
    connections: 2,
    perSecond: Number,
    bytesPerSecond: Number,
    p50: Number,
    p99: Number,
    errors: 0
  })
  t.ok(result.requests > 0)

  const wrong = await runInside(t, ['bench', service.url, '--query', '{ nothing }'])
  t.match(wrong, { code: 1, stdout: '', stderr: /the query failed: 400 Cannot query field "nothing"/ })
})

t.test('bench reads the secrets of a client and a user from files', async t => {
  const env = await migrated(t)
  t.equal((await runInside(t, ['user', 'add', 'ada@example.com'], env, secret('bench'))).code, 0)
  const grants = ['--grant', 'password', '--grant', 'client_credentials']
  const clientSecret = remember((await runInside(t, ['client', 'add', 'shop', ...grants], env)).stdout.trim())
  const folder = await directory(t)
  const [clientFile, userFile, wrongFile] = ['client', 'user', 'wrong'].map(name => join(folder, name)) as [
    string,
    string,
    string
  ]
  await writeFile(clientFile, `${clientSecret}\n`)
  await writeFile(userFile, `${secret('bench')}\n`)
  await writeFile(wrongFile, secret('wrong'))
  const { url } = await serve(t, [], env)
  // The service names the wrong field to those who have a token. That saves the load.
  const query = ['--query', '{ nothing }']
  const bench = (client: string, ...words: string[]) =>
    runInside(t, ['bench', url, ...query, '--client-id', 'shop', '--client-secret-file', client, ...words])

  for (const allowed of [
    await bench(clientFile),
    await bench(clientFile, '--username', 'ada@example.com', '--password-file', userFile)
  ])
    t.match(allowed.stderr, /the query failed: 400 Cannot query field "nothing"/)
  for (const refused of [
    await bench(wrongFile),
    await bench(clientFile, '--username', 'ada@example.com', '--password-file', wrongFile)
  ]) {
    t.match(refused, {
      code: 1,
      stdout: '',
      stderr: /^product-templates: no token: 40[01] invalid_(client|grant)/
    })
    t.notMatch(refused.stderr, secret('wrong'))
  }
})

t.test('requests that fail under load are a failure', async t => {
  let answered = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      // The token and the first query succeed.
      response.statusCode = answered++ < 2 ? 200 : 503
      setTimeout(() => response.end('{ "access_token": "x", "data": {} }'), slow)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout, stderr } = await run(t, ['bench', url, '--duration', '1', '--json'])
  t.equal(code, 1)
  const { requests, errors } = JSON.parse(stdout)
  t.ok(errors > 0)
  t.equal(errors, requests)
  t.equal(stderr, `product-templates: ${errors} requests failed\n`)
})

t.test('wrong usage of bench is one line', async t => {
  const cases: [string[], number, RegExp][] = [
    [['http://127.0.0.1:1'], 1, /http:\/\/127\.0\.0\.1:1\/oauth\/token cannot be reached: /],
    [['127.0.0.1:3000'], 2, /the URL must start with http/],
    [['http://ada:s3cr3t@127.0.0.1:1'], 2, /: the URL must have no user and no password\n$/],
    [['--duration', '0'], 2, /--duration must be an integer from 1/],
    [['--connections', 'many'], 2, /--connections must be an integer from 1/],
    [['--client-id', 'shop'], 2, /--client-id and --client-secret-file belong together/],
    [['--username', 'ada@example.com'], 2, /--username and --password-file belong together/],
    [
      ['--client-id', 'x', '--client-secret-file', '/none'],
      2,
      /--client-secret-file cannot be read \(ENOENT\)/
    ],
    [['--client-secret', 'x'], 2, /unknown option '--client-secret'/]
  ]
  for (const [words, code, text] of cases) {
    const ended = await runInside(t, ['bench', ...words])
    t.equal(ended.code, code, words.join(' '))
    t.match(ended.stderr, text)
    t.equal(ended.stderr.trimEnd().split('\n').length, 1)
    t.equal(ended.stdout, '')
  }
})
