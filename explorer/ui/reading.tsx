import { Button } from './button.tsx'

/** Shown in place of what is being read. It appears after a moment, because most responses arrive earlier. */
export const Loading = () => (
  <p class="loading muted" role="status">
    Loading…
  </p>
)

interface ReadProps {
  /** What {@link useRead} returns. */
  of: { data: unknown; hasFailed: boolean }
  /** What to say if it could not be read. */
  problem: string
}

/** Says that something is being read, or that it could not be. */
export function Reading({ of: { data, hasFailed }, problem }: ReadProps) {
  if (hasFailed) return <p class="notice warning">{problem}</p>
  return data === undefined ? <Loading /> : null
}

interface ListProps {
  /** What {@link useList} returns. */
  of: { items: unknown[]; status: 'reading' | 'ready' | 'failed'; more?: () => void }
  problem: string
  moreLabel?: string
}

/** The end of a list: that it is being read or could not be, and the button for its next page. */
export function ListEnd({ of: { items, status, more }, problem, moreLabel = 'Show more' }: ListProps) {
  return (
    <>
      {status === 'reading' && items.length === 0 && <Loading />}
      {status === 'failed' && <p class="notice warning">{problem}</p>}
      {more && (
        <Button isBusy={status === 'reading'} onClick={more}>
          {moreLabel}
        </Button>
      )}
    </>
  )
}
