import { createHash, randomBytes } from 'node:crypto'

/** A refresh token, an authorization code or a session: 256 random bits as `[A-Za-z0-9_-]`, RFC 6749 §10.10. */
export const generateOpaqueToken = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex: the database has nothing that could be sent. */
export const hashOpaqueToken = (token: string): string => createHash('sha256').update(token).digest('hex')
