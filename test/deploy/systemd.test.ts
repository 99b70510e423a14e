// Runs on SQLite only, in test:all only.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { t } from 'tap'
import { isSetting } from './settings.ts'

const folder = new URL('../../deploy/systemd/', import.meta.url).pathname
const unit = readFileSync(join(folder, 'product-templates.service'), 'utf8')
const socket = readFileSync(join(folder, 'product-templates.service.d/socket.conf'), 'utf8')

t.test('every setting in the unit exists', async t => {
  for (const [line] of `${unit}${socket}`.matchAll(/^Environment=.*$/gm))
    for (const [, name = ''] of line.replace('Environment=', '').matchAll(/([A-Z_]+)=/g))
      t.ok(name === 'NODE_ENV' || isSetting(name), name)
})
