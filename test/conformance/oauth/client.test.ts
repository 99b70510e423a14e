// Runs on SQLite only.
/** RFC 6749 §2.3.1, RFC 7617: how a client says who it is. */
import { readFile } from 'node:fs/promises'
import type { KyselyPlugin } from 'kysely'
import { t } from 'tap'
import { hashSecret } from '../../../accounts/credentials/secrets.ts'
import { secondsAgo } from '../../../domain/timestamp.ts'
import { clients } from '../../../store.ts'
import { basic, oauthError, rawPost, rawRequest, tokenRequest, visible } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { remember, secret } from '../../support/service/secrets.ts'
import { addClient, client, database, deleteExpired, service, user } from '../../support/service/service.ts'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const form = `grant_type=password&username=${user.email}&password=${encodeURIComponent(user.password)}`
const formType = 'Content-Type: application/x-www-form-urlencoded'

t.test('C01 C03-C09 C12 C16 C17 C19 every failure is one and the same 401', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'gone' })
  await clients.disable(db, 'gone')
  await addClient(db, { id: 'empty', secretHash: hashSecret('') })
  const given: Record<string, string | undefined> = {
    'C01 no header': undefined,
    'C03 unknown client': basic('nobody', client.secret),
    'C04 wrong secret': basic(client.id, secret('wrong')),
    'C05 no base64': 'Basic !!!!',
    'C05 empty': 'Basic ',
    'C05 two spaces': basic().replace(' ', '  '),
    'C05 trailing junk': `${basic()} x`,
    'C05 trailing junk inside': `${basic()},x`,
    'C06 no colon': `Basic ${base64('test-client')}`,
    'C07 a colon alone': 'Basic Og==',
    'C07 no secret': `Basic ${base64('empty:')}`,
    'C07 no id': `Basic ${base64(`:${client.secret}`)}`,
    'C08 no UTF-8': `Basic ${base64(Buffer.from([0xff, 0xfe, 0x3a, 0x78]))}`,
    'C09 NUL': `Basic ${base64('test-client\0:x')}`,
    'C09 DEL': `Basic ${base64('test-client\x7f:x')}`,
    'C09 C1': `Basic ${base64('test-client\u0085:x')}`,
    'C09 an escaped control character': `Basic ${base64('test-client%0A:x')}`,
    'C12 malformed escape': `Basic ${base64('test-client:%zz')}`,
    'C17 a bearer token': 'Bearer abcdef',
    'C19 disabled client': basic('gone', client.secret)
  }
  const answers = new Map<string, string>()
  for (const [name, authorization] of Object.entries(given)) {
    const answer = await visible(await tokenRequest(url, {}, { authorization }))
    t.equal(answer.status, 401, name)
    t.equal(answer.headers['www-authenticate'], 'Basic realm="product-templates", charset="UTF-8"', name)
    t.match(JSON.parse(answer.body), { error: 'invalid_client' }, name)
    answers.set(JSON.stringify(answer), name)
  }
  const inBody = { client_id: client.id, client_secret: client.secret }
  const posted = await visible(await tokenRequest(url, inBody, { authorization: undefined }))
  t.equal(posted.status, 401, 'C16 credentials in the body alone')
  t.match(posted.body, 'the secret was not sent by HTTP Basic')
  answers.set(JSON.stringify(posted), 'C16')
  t.equal(answers.size, 1)
})

t.test('C02 the scheme is matched without regard to case', async t => {
  const { url } = await service(t)
  for (const scheme of ['basic', 'BASIC']) {
    t.equal((await tokenRequest(url, {}, { authorization: basic().replace('Basic', scheme) })).status, 200)
  }
})

t.test('C10 C13 credentials are form-decoded, and split at the first colon', async t => {
  const { url, db } = await service(t)
  const odd = secret('a:b%c+d e')
  await addClient(db, { id: 'my-client', secretHash: hashSecret(odd) })
  const encoded = encodeURIComponent(odd)
  for (const text of [
    `my%2Dclient:${encoded}`,
    `my-client:${encoded.replaceAll('%20', '+')}`,
    `my-client:${encoded.replaceAll('%3A', ':')}`
  ]) {
    t.equal((await tokenRequest(url, {}, { authorization: `Basic ${base64(text)}` })).status, 200, text)
  }
})

t.test('C11 a generated secret is the same with and without encoding', async t => {
  const { generateSecret } = await import('../../../accounts/credentials/secrets.ts')
  for (let turn = 0; turn < 100; turn++) {
    const made = generateSecret()
    if (encodeURIComponent(made) !== made || !/^[A-Za-z0-9_-]{43}$/.test(made))
      t.fail('an alphabet that needs encoding')
  }
})

t.test('C14 C15 a second authentication method or another client_id is refused', async t => {
  const { url } = await service(t)
  t.same(await oauthError(t, await tokenRequest(url, { client_secret: client.secret })), [
    400,
    'invalid_request'
  ])
  t.equal((await tokenRequest(url, { client_id: client.id })).status, 200)
  t.same(await oauthError(t, await tokenRequest(url, { client_id: 'another' })), [400, 'invalid_request'])
})

t.test('C18 two Authorization headers are refused', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'second' })
  const two = [`Authorization: ${basic()}`, `Authorization: ${basic('second', client.secret)}`]
  const answer = await rawRequest(
    url,
    rawPost('/oauth/token', [...two, formType, `Content-Length: ${form.length}`], form)
  )
  t.match(answer, /^HTTP\/1\.1 401 [\s\S]*"error":"invalid_client"/)
})

t.test('C20 a grant type the client may not use is unauthorized_client', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'machine', grantTypes: ['client_credentials'] })
  const response = await tokenRequest(url, {}, { authorization: basic('machine', client.secret) })
  t.same(await oauthError(t, response), [400, 'unauthorized_client'])
})

t.test('C21 the client is checked before the user, and before the parameters', async t => {
  const { url } = await service(t)
  const wrong = { authorization: basic(client.id, secret('wrong')) }
  t.same(await oauthError(t, await tokenRequest(url, { password: secret('wrong') }, wrong)), [
    401,
    'invalid_client'
  ])
  t.same(await oauthError(t, await tokenRequest(url, { grant_type: undefined }, wrong)), [
    401,
    'invalid_client'
  ])
})

t.test('C22 secrets are compared in constant time, over digests, for an unknown client too', async t => {
  const { matchesSecret } = await import('../../../accounts/credentials/secrets.ts')
  const hash = hashSecret(client.secret)
  t.same(
    [
      matchesSecret(client.secret, hash),
      matchesSecret('x', hash),
      matchesSecret('x', undefined),
      matchesSecret(client.secret, hashSecret('x'), hash),
      matchesSecret('x', undefined, hash)
    ],
    [true, false, false, true, false]
  )
  const source = await readFile(new URL('../../../accounts/credentials/secrets.ts', import.meta.url), 'utf8')
  t.match(
    source,
    /\[current, previous\]\.map\(stored =>\s+timingSafeEqual\(digest, Buffer\.from\(stored \?\? noSecret, 'hex'\)\)/
  )
})

t.test('C23 an old secret that is kept works beside the new one, until its time is over', async t => {
  const { url, db } = await service(t)
  const status = async (clientSecret: string) =>
    (await tokenRequest(url, {}, { authorization: basic(client.id, clientSecret) })).status
  const second = remember(await clients.rotateSecret(db, client.id, { overlap: 3600 }))
  t.same([await status(client.secret), await status(second), await status('x')], [200, 200, 401])
  const third = remember(await clients.rotateSecret(db, client.id, { overlap: 3600 }))
  t.same(
    [await status(client.secret), await status(second), await status(third)],
    [401, 200, 200],
    'only one'
  )
  const rows = db.selectFrom('product_client').select(['previous_secret_hash', 'time_previous_expires'])
  await deleteExpired(db)
  t.same(await status(second), 200, 'its time is not over')

  await db
    .updateTable('product_client')
    .set({ time_previous_expires: secondsAgo(1) })
    .execute()
  t.same([await status(second), await status(third)], [401, 200], 'before it is deleted, too')
  await deleteExpired(db)
  t.same(await rows.execute(), [{ previous_secret_hash: null, time_previous_expires: null }])

  await clients.rotateSecret(db, client.id, { overlap: 3600 })
  const last = remember(await clients.rotateSecret(db, client.id))
  t.same([await status(third), await status(last)], [401, 200], 'a secret replaced at once keeps none')
  for (const overlap of [-1, 0.5, 2_592_001, Number.NaN])
    await t.rejects(clients.rotateSecret(db, client.id, { overlap }), { code: 'PTS_BAD_ARGUMENT' })
})

t.test(
  'a fault of the database is 503 only where it may be over soon, and the log has its stack',
  async t => {
    let fault: Error | undefined
    const faulty: KyselyPlugin = {
      transformQuery({ node }) {
        if (fault) throw fault
        return node
      },
      transformResult: async ({ result }) => result
    }
    const { url, lines } = await loggedService(t, { db: (await database(t)).withPlugin(faulty) })
    for (const [code, status, error] of [
      ['SQLITE_BUSY', 503, 'temporarily_unavailable'],
      ['SQLITE_CORRUPT', 500, 'server_error'],
      ['42P01', 500, 'server_error']
    ] as const) {
      fault = Object.assign(new Error('what went wrong'), { code })
      const response = await tokenRequest(url)
      t.same(await oauthError(t, response), [status, error])
      t.equal(response.headers.get('retry-after'), status === 503 ? '1' : null)
      t.equal(response.headers.get('www-authenticate'), null)
      const { err, level } = lines.findLast(({ msg }) => msg === 'request failed') as Record<string, object>
      t.match(
        { err, level },
        { level: 50, err: { code, stack: /^Error: what went wrong\n +at .*client\.test/ } }
      )
    }
  }
)
