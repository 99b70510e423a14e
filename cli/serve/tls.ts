import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import type { ListeningSettings } from '../../options/index.ts'
import { StartError } from '../../runtime/host-errors.ts'

/** A certificate chain and its key, as PEM. */
export interface TlsFiles {
  cert: Buffer
  key: Buffer
  minVersion: 'TLSv1.2'
}

/** Reads the configured files; undefined without TLS. Throws StartError if the files are unusable. */
export function readTlsFiles({ tlsCertFile, tlsKeyFile }: ListeningSettings): TlsFiles | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined
  const [cert, certificate] = readPem(
    'TLS_CERT_FILE',
    tlsCertFile,
    'a certificate',
    pem => new X509Certificate(pem)
  )
  const what = 'a private key without a password'
  const [key, privateKey] = readPem('TLS_KEY_FILE', tlsKeyFile, what, pem => createPrivateKey(pem))
  if (!certificate.checkPrivateKey(privateKey))
    throw makeTlsError(
      `the key in TLS_KEY_FILE does not belong to the certificate in TLS_CERT_FILE: ${tlsKeyFile}`
    )
  return { cert, key, minVersion: 'TLSv1.2' }
}

function readPem<T>(name: string, path: string, what: string, parse: (pem: Buffer) => T): [Buffer, T] {
  let pem: Buffer | undefined
  try {
    pem = readFileSync(path)
    return [pem, parse(pem)]
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (pem) throw makeTlsError(`${name} must be a PEM file with ${what}: ${path} (${message})`)
    throw makeTlsError(`${name} cannot be read (${code}): ${path}`)
  }
}

const makeTlsError = (text: string) => new StartError('PTS_BAD_OPTION', text)

/** Reads the files again and passes them to `use`, for new connections. Unusable files are ignored. */
export function reloadTls(
  settings: ListeningSettings,
  use: (files: TlsFiles) => void,
  log: FastifyBaseLogger
): void {
  try {
    const files = readTlsFiles(settings)
    if (files) {
      use(files)
      const { subject, validTo, fingerprint256 } = new X509Certificate(files.cert)
      log.info({ subject, validTo, fingerprint256 }, 'TLS certificate loaded')
    } else log.info('SIGHUP: without TLS there is nothing to reload')
  } catch (err) {
    log.error({ err }, 'the TLS files are unusable, the certificate in use stays')
  }
}
