// Runs on SQLite only.
import { t } from 'tap'
import { asciiSecret } from '../../../test/support/service/secrets.ts'
import { service } from '../../../test/support/service/service.ts'

t.test('settings that are wrong keep the service from starting, and say why', async t => {
  const valid = {
    id: 'corp',
    name: 'Corp',
    issuer: 'https://login.example',
    client_id: 'x',
    client_secret: asciiSecret('provider')
  }
  const wrong: [given: unknown, message: RegExp][] = [
    [[{}], /entry 1: id must be 1 to 30 of/],
    [[{ ...valid, issuer: 'http://login.example' }], /issuer must be an https URL/],
    [[valid, { ...valid, issuer: 'https://b.example' }], /the same id/],
    [[valid, { ...valid, id: 'b' }], /the same issuer/],
    [[{ ...valid, create: {} }], /create needs domains or a claim/],
    [[{ ...valid, create: { claim: 'groups' } }], /create.claim and create.values belong together/],
    [[{ ...valid, create: { domains: ['x'], role: 'admin' } }], /create must be an object/],
    [[{ ...valid, create: { domains: ['x'], where: {} } }], /create\.where must have a condition/]
  ]
  for (const [given, message] of wrong)
    await t.rejects(service(t, { loginProviders: JSON.stringify(given) }), {
      code: 'PTS_BAD_PROVIDERS',
      message
    })
  await t.rejects(service(t, { loginProviders: '[{"client_secret": "x"' }), { message: /it is not JSON$/ })
  await t.resolves(service(t, { loginProviders: JSON.stringify([valid]) }), 'it is not asked at the start')
})
