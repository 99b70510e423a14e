import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import type { Test } from 'tap'
import { directory } from '../../support/database/database.ts'

/** Makes a self-signed certificate for this machine. */
export async function makeCertificate(name = 'templates.test') {
  const altNames = [
    { type: 2 as const, value: 'localhost' },
    { type: 7 as const, ip: '127.0.0.1' }
  ]
  const extensions = [{ name: 'subjectAltName' as const, altNames }]
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { extensions })
  return { cert, key }
}

/** Writes a certificate and its key to files; returns it with the settings that name them. */
export async function writeCertificate(t: Test) {
  const path = await directory(t)
  const env = { TLS_CERT_FILE: join(path, 'tls.crt'), TLS_KEY_FILE: join(path, 'tls.key') }
  const files = await makeCertificate()
  const write = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(env.TLS_CERT_FILE, cert)
    await writeFile(env.TLS_KEY_FILE, key)
  }
  await write(files)
  return { ...files, env, write }
}
