// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** What holds for any input: an answer of GraphQL, and never a server error. */
import { getIntrospectionQuery } from 'graphql'
import { t } from 'tap'
import { chooseMediaType } from '../../../routes/responses/negotiation.ts'
import { anyText } from '../../support/generated/any-text.ts'
import fc from '../../support/generated/fast-check.ts'
import { accessToken, graphqlGet, graphqlRequest } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const words =
  '{ } ( ) [ ] : ... @ $ ! = | & # "a" """ 1 -1 1.5e9 query mutation subscription fragment on allProducts id name data __typename __schema __type F $a skip include if true null \u{feff} \0 é'.split(
    ' '
  )
const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map(parts => parts.join(' '))
const scraps = fc
  .tuple(fc.nat(2000), fc.nat(2000))
  .map(([from, length]) => getIntrospectionQuery().slice(from, from + length))
const text = fc.oneof(soup, scraps, anyText({ maxLength: 100 }), fc.json())

async function isAnswer(response: Response) {
  const body = (await response.json()) as object
  return response.status < 500 && ('data' in body || 'errors' in body)
}

t.test('any document in any request, by POST and GET, gets a valid response', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  const parameters = fc.record(
    {
      query: fc.oneof({ weight: 9, arbitrary: text }, fc.jsonValue()),
      variables: fc.oneof(fc.object(), fc.jsonValue()),
      operationName: fc.oneof(fc.string(), fc.constant(null)),
      extensions: fc.jsonValue()
    },
    { requiredKeys: [] }
  )
  await fc.assert(
    fc.asyncProperty(parameters, async request => isAnswer(await graphqlRequest(url, token, request))),
    { numRuns: 150 }
  )
  const name = fc.constantFrom('query', 'variables', 'operationName', 'extensions', '__proto__', 'x')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 5 }), async pairs =>
      isAnswer(await graphqlGet(url, token, pairs))
    ),
    { numRuns: 150 }
  )
})

t.test(
  'any Accept has one of two types or none; */* among ranges that are none of ours has one',
  async () => {
    const weight = fc.constantFrom('', ';q=0', ';q=1', ';q=0.5', '; Q=0.001', ';q=x', ';x="', ';')
    const accept = (...ranges: string[]) =>
      fc
        .array(fc.tuple(fc.constantFrom(...ranges), weight), { maxLength: 6 })
        .map(parts => parts.map(part => part.join('')))
    const others = ['text/html', 'a', '', '"', '"a,b"', 'text/*']
    const any = accept('*/*', 'application/*', 'application/json', ...others).map(String)
    const types = [undefined, 'application/json', 'application/graphql-response+json']
    fc.assert(fc.property(fc.oneof(any, fc.string()), given => types.includes(chooseMediaType(given))))
    fc.assert(
      fc.property(
        accept(...others),
        given => chooseMediaType([...given, '*/*'].join()) === 'application/json'
      )
    )
  }
)
