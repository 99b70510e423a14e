/** What holds for any input: no server error, and what is accepted means what was sent. */
import { t } from 'tap'
import { hashSecret } from '../../../accounts/credentials/secrets.ts'
import { parseForm } from '../../../routes/oauth/parameters.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { anyText } from '../../support/generated/any-text.ts'
import fc from '../../support/generated/fast-check.ts'
import { rawPost, rawRequest } from '../../support/http/http.ts'
import { addClient, service } from '../../support/service/service.ts'

const formType = 'Content-Type: application/x-www-form-urlencoded'
const statusOf = (answer: string) => Number(answer.match(/^HTTP\/1\.1 (\d{3})/)?.[1] ?? 0)
/** Bytes that can stand in a header, without the line breaks that end it. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map(code => String.fromCharCode(code)),
  maxLength: 200
})

onlyOn('sqlite', 'the form parser reads what URLSearchParams writes, and never throws', async t => {
  const names = fc.string({ unit: 'grapheme', minLength: 1 }).filter(name => !name.includes('\0'))
  const values = fc
    .string({ unit: 'grapheme' })
    .filter(value => !value.includes('\0') && !value.includes('\uFFFD'))
  fc.assert(
    fc.property(
      fc.dictionary(
        names.filter(name => !name.includes('\uFFFD')),
        values
      ),
      entries => {
        const form = parseForm(new URLSearchParams(entries).toString())
        t.strictSame({ ...(form as object) }, { ...entries }, { diagnostic: false })
      }
    ),
    { numRuns: 100 }
  )
  fc.assert(
    fc.property(anyText(), text => {
      const form = parseForm(text)
      return typeof form === 'string' || Object.getPrototypeOf(form) === null
    }),
    { numRuns: 1000 }
  )
})

t.test('arbitrary bytes as form, Basic credentials or bearer token never cause a server error', async t => {
  const { url } = await service(t, { addressLimit: 0, accountLimit: 0 })
  const never5xx = async (answer: Promise<string>) => {
    const status = statusOf(await answer)
    return status >= 200 && status < 500
  }
  const good = `Authorization: Basic ${btoa('test-client:x')}`
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), bytes => {
      const body = Buffer.from(bytes)
      return never5xx(
        rawRequest(url, rawPost('/oauth/token', [good, formType, `Content-Length: ${body.length}`], body))
      )
    }),
    { numRuns: 75 }
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        headerText,
        fc.base64String().map(text => `Basic ${text}`)
      ),
      text =>
        never5xx(
          rawRequest(
            url,
            rawPost('/oauth/token', [`Authorization: ${text}`, formType, 'Content-Length: 0'], '')
          )
        )
    ),
    { numRuns: 75 }
  )
  const part = fc.oneof(
    fc.base64String(),
    fc.json().map(text => Buffer.from(text).toString('base64url'))
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        headerText,
        fc.tuple(part, part, part).map(parts => `Bearer ${parts.join('.')}`)
      ),
      text =>
        never5xx(rawRequest(url, rawPost('/graphql', [`Authorization: ${text}`, 'Content-Length: 0'], '')))
    ),
    { numRuns: 75 }
  )
})

t.test('a client with any id and secret authenticates if they are encoded correctly', async t => {
  const { url, db } = await service(t, { addressLimit: 0 })
  // VSCHAR, RFC 6749 appendix A.
  const printable = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map(code => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 40
  })
  let number = 0
  await fc.assert(
    fc.asyncProperty(printable, printable, async (name, secret) => {
      const id = `${number++} ${name}`
      await addClient(db, { id, secretHash: hashSecret(secret) })
      const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
      const header = `Authorization: Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`
      const answer = await rawRequest(
        url,
        rawPost('/oauth/token', [header, formType, 'Content-Length: 0'], '')
      )
      // Let in, and refused for what is missing.
      return statusOf(answer) === 400 && answer.includes('grant_type is missing')
    }),
    { numRuns: 100 }
  )
})
