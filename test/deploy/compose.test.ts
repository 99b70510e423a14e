// Runs on SQLite only, in test:all only.
import { existsSync, readFileSync } from 'node:fs'
import { t } from 'tap'
import { parse } from 'yaml'
import { isSetting } from './settings.ts'

const folder = new URL('../../deploy/', import.meta.url)
const { services, secrets, volumes } = parse(readFileSync(new URL('compose.yaml', folder), 'utf8'), {
  merge: true
})
const ours = [services.templates, services['templates-sidecar']]

t.test('every setting of the service exists', async t => {
  for (const { environment } of ours)
    for (const name of Object.keys(environment)) t.ok(name === 'NODE_ENV' || isSetting(name), name)
})

t.test('the service runs read-only, without privileges and with a limit of memory', async t => {
  for (const service of ours)
    t.match(service, {
      user: '65532:65532',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: /^\d+m$/
    })
})

t.test('what a service mounts is there, and its ports are open on this machine alone', async t => {
  for (const [name, service] of Object.entries<{ volumes?: string[]; ports?: string[]; secrets?: string[] }>(
    services
  )) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      t.ok(
        source.startsWith('./') ? existsSync(new URL(source, folder)) : source in volumes,
        `${name}: ${volume}`
      )
    }
    for (const port of service.ports ?? []) t.match(port, /^127\.0\.0\.1:/)
    for (const secret of service.secrets ?? []) t.ok(secret in secrets, secret)
  }
})

t.test('everything has a profile, so that nothing starts unasked', async t => {
  for (const [name, { profiles }] of Object.entries<{ profiles: string[] }>(services))
    t.ok(profiles.length > 0, name)
})
