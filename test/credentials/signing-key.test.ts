// Runs on SQLite only.
import { t } from 'tap'
import { generateSigningKey } from '../../accounts/credentials/signing-key.ts'

t.test('the kid of a new key is never read as an option', async t => {
  // One thumbprint in 64 starts with "-".
  const kids = Array.from({ length: 2000 }, () => generateSigningKey('EdDSA').kid)
  t.same(
    kids.filter(kid => kid.startsWith('-')),
    []
  )
})
