// Runs on SQLite only, in test:all only.
/** Wallets and marketplaces read metadata from pages of their own origin. */
import { t } from 'tap'
import { inBrowser } from '../../../test/support/browser/chromium.ts'
import { needs } from '../../../test/support/programs.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

t.test('a page of another origin reads metadata and revalidates it', needs('chromium'), async t => {
  const { url, db } = await service(t)
  const data = JSON.stringify({ name: 'Lamp', attributes: [{ trait_type: 'MadeIn', value: 'Norway' }] })
  await addTemplates(db, { id: 0, data }, { id: 1, publicProduct: false })
  const result = await inBrowser(
    t,
    `const read = async (path, headers = {}) => {
      const response = await fetch('${url}' + path, { headers, cache: 'no-store' })
      return { status: response.status, etag: response.headers.get('etag'), text: await response.text() }
    }
    const first = await read('/metadata/0.json')
    const again = await read('/metadata/0.json', { 'If-None-Match': first.etag })
    const secret = await read('/metadata/1.json')
    const schema = await read('/schemas/template.json')
    return { first, again, secret: secret.status, schema: schema.status }`
  )
  t.match(result, {
    first: { status: 200, etag: /^"/ },
    again: { status: 304, text: '' },
    secret: 404,
    schema: 200
  })
  const { first } = result as { first: { text: string } }
  t.same(JSON.parse(first.text), { name: 'Lamp', attributes: [{ trait_type: 'MadeIn', value: 'Norway' }] })
})
