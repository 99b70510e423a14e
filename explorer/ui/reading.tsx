import { Button } from './button.tsx'

/** Shown in place of what is being read. It appears after a moment, because most responses arrive earlier. */
export const Loading = () => (
  <p class="loading muted" role="status">
    Loading…
  </p>
)

interface FailureProps {
  problem: string
  onRetry: () => unknown
}

/** Says that something could not be read, and offers to try it again. */
export const Failure = ({ problem, onRetry }: FailureProps) => (
  <p class="notice warning" role="alert">
    {problem} <Button onClick={onRetry}>Try again</Button>
  </p>
)

interface ReadProps {
  /** What {@link useRead} returns. */
  of: { data: unknown; hasFailed: boolean; reread: () => Promise<void> }
  /** What to say if it could not be read. */
  problem: string
}

/** Says that something is being read, or that it could not be. */
export function Reading({ of: { data, hasFailed, reread }, problem }: ReadProps) {
  if (hasFailed) return <Failure problem={problem} onRetry={reread} />
  return data === undefined ? <Loading /> : null
}

interface ListProps {
  /** What {@link useList} returns. */
  of: {
    items: unknown[]
    status: 'reading' | 'ready' | 'failed'
    more?: () => void
    retry: () => Promise<void>
  }
  problem: string
  moreLabel?: string
}

/**
 * The end of a list: that it is being read or could not be, and the button for its next page. After a failure, the same
 * button tries again, so that it keeps the focus.
 */
export function ListEnd({ of: { items, status, more, retry }, problem, moreLabel = 'Show more' }: ListProps) {
  const hasFailed = status === 'failed'
  return (
    <>
      {status === 'reading' && items.length === 0 && <Loading />}
      {hasFailed && (
        <p class="notice warning" role="alert">
          {problem}
        </p>
      )}
      {(more || hasFailed) && (
        <Button isBusy={status === 'reading'} onClick={hasFailed ? retry : more}>
          {hasFailed ? 'Try again' : moreLabel}
        </Button>
      )}
    </>
  )
}
