import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { StartError } from '../../../errors.ts'
import type { ListeningSettings } from '../../../options.ts'

/** A certificate with the ones that lead to it, and its key, as PEM. */
export interface TlsFiles {
  cert: Buffer
  key: Buffer
  minVersion: 'TLSv1.2'
}

/** Reads the files of the settings; undefined without TLS. Throws StartError if they are unusable. */
export function readTlsFiles({ tlsCertFile, tlsKeyFile }: ListeningSettings): TlsFiles | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined
  const cert = readPem('TLS_CERT_FILE', tlsCertFile)
  const key = readPem('TLS_KEY_FILE', tlsKeyFile)
  const files = { cert, key, minVersion: 'TLSv1.2' } as const
  try {
    createSecureContext(files)
    return files
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
      throw unusable(
        `the key in TLS_KEY_FILE does not belong to the certificate in TLS_CERT_FILE: ${tlsKeyFile}`
      )
    const name =
      code?.startsWith('ERR_OSSL_PEM_NO_START_LINE') && !isCertificate(cert)
        ? 'TLS_CERT_FILE'
        : 'TLS_KEY_FILE'
    const what =
      name === 'TLS_CERT_FILE'
        ? `a certificate: ${tlsCertFile}`
        : `a private key without a password: ${tlsKeyFile}`
    throw unusable(`${name} must be a PEM file with ${what} (${message})`)
  }
}

/** The certificate of these files, for the log. */
export function describeCertificate({ cert }: TlsFiles) {
  const { subject, validTo, fingerprint256 } = new X509Certificate(cert)
  return { subject, validTo, fingerprint256 }
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw unusable(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`)
  }
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const unusable = (text: string) => new StartError('PTS_BAD_OPTION', text)
