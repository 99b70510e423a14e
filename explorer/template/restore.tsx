import type { ComponentChildren } from 'preact'
import { write } from '../requests.ts'
import { Confirm } from '../ui/confirm.tsx'
import { lastSave } from './saved.tsx'

interface Props {
  id: number
  revision: number
  /** The current revision; undefined if the template is deleted. */
  current?: number
  /** The label of the button, if it differs from the title. */
  label?: ComponentChildren
  onRestored: () => void
}

interface Answer {
  restoreProduct: { product: { revision: number } | null; userErrors: { message: string }[] } | null
}

const mutation = `mutation Restore($id: Int!, $revision: Int!) {
  restoreProduct(id: $id, revision: $revision) { product { revision } userErrors { message } }
}`

/** Restores a revision after a confirmation. */
export function Restore({ id, revision, current, label, onRestored }: Props) {
  const run = async () => {
    const { restoreProduct } = await write<Answer>(mutation, { id, revision })
    const problems = restoreProduct?.userErrors.map(({ message }) => message) ?? []
    if (problems.length === 0) {
      lastSave.value = { id, revision: restoreProduct?.product?.revision, restored: revision }
      onRestored()
    }
    return problems
  }
  const title = `Restore revision ${revision}`
  return (
    <Confirm title={`${title}?`} label={label ?? title} confirmLabel="Restore" onConfirm={run}>
      The template gets the contents of revision {revision} again, as{' '}
      {current === undefined ? 'a new revision' : `revision ${current + 1}`}. No revision is lost.
    </Confirm>
  )
}
