import { listColumns } from '../columns.ts'

/** Columns whose update can end a token. Others, such as those that a login writes, cannot. */
export const accessUpdates: Record<string, string[]> = {
  product_user: ['id', 'email', 'time_disabled', 'token_epoch'],
  product_client: ['id', 'time_disabled'],
  product_signing_key: ['id', 'private_jwk', 'time_retired'],
  product_token_family: ['id', 'time_revoked']
}

/** Columns of a revision that its change writes. */
export const revisionColumns = [
  'template_id',
  'number',
  'action',
  'subject',
  'client_id',
  'message',
  'time_recorded'
]

/** Lists columns of a row for a comparison. */
export const list = (row: 'old' | 'new', columns: string[]): string => `(${listColumns(`${row}.`, columns)})`
