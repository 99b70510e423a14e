// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** The audits of the package graphql-http, each a test: neither errors nor warnings nor notices. */
import { serverAudits } from 'graphql-http'
import { t } from 'tap'
import { accessToken } from '../../support/http/http.ts'
import { service } from '../../support/service/service.ts'

const { url } = await service(t)
const authorization = `Bearer ${await accessToken(url)}`
const audits = serverAudits({
  url: `${url}/graphql`,
  fetchFn: (address: string, { headers, ...init }: RequestInit = {}) =>
    fetch(address, { ...init, headers: { ...headers, authorization } })
})

t.equal(audits.length, 61)
for (const { id, name, fn } of audits) {
  t.test(`${id} ${name}`, async t => {
    const result = await fn()
    t.equal(result.status, 'ok', 'reason' in result ? result.reason : name)
  })
}
