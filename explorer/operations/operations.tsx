import { useEffect, useState } from 'preact/hooks'
import { pageInfo, usePages, useQuery } from '../admin/use-pages.ts'
import { mayPublish, mayWrite } from '../api.ts'
import { describeAuthor, formatCount } from '../format.ts'
import { Loading } from '../parts/loading.tsx'
import { Time } from '../parts/time.tsx'
import { hrefOf } from '../route.ts'
import '../deleted/deleted.css'
import { describeOperation, type Operation, operationFields } from './read-operation.ts'
import { UndoButton } from './undo-button.tsx'
import { WrittenTemplates } from './written-templates.tsx'

const title = 'Imports and bulk changes'

/** The writes of many templates, newest first, or the templates of one of them. */
export function Operations({ id }: { id: string | undefined }) {
  useEffect(() => {
    document.title = `${title} · Templates`
  }, [])
  return id === undefined ? <OperationList /> : <OneOperation key={id} id={id} />
}

const listQuery = `query Operations($after: String) {
  operations(first: 20, after: $after) { nodes { ${operationFields} } ${pageInfo} } }`

function OperationList() {
  // A new value reads the list again.
  const [version, setVersion] = useState(0)
  const [sentences, setSentences] = useState<string[]>([])
  const { items, status, more } = usePages<Operation>(listQuery, { version })
  const finish = (sentences: string[]) => {
    setSentences(sentences)
    setVersion(version + 1)
  }
  return (
    <>
      <h1>{title}</h1>
      <p class="muted">
        {status === 'ready' && items.length === 0
          ? 'Nobody has imported or changed many templates at once yet.'
          : mayPublish()
            ? 'Each can be undone, also later. What somebody has changed since stays.'
            : mayWrite()
              ? 'You can undo what needs no publisher, also later. What somebody has changed since stays.'
              : 'The newest come first.'}
      </p>
      <Sentences sentences={sentences} />
      {status === 'reading' && items.length === 0 && <Loading />}
      <ul aria-busy={status === 'reading'}>
        {items.map(operation => (
          <li key={operation.id} class="card operation">
            <div>
              <strong>{describeOperation(operation)}</strong>
              <Origin operation={operation} />
            </div>
            <a class="button" href={hrefOf(['operations', operation.id])}>
              Show these<span class="hidden-visually">: {describeOperation(operation)}</span>
            </a>
            <UndoButton operation={operation} onUndone={finish} />
          </li>
        ))}
      </ul>
      {status === 'failed' && <p class="notice warning">The list could not be read.</p>}
      {more && (
        <button type="button" class="button" disabled={status === 'reading'} onClick={more}>
          Show older
        </button>
      )}
      <p>
        <a href={hrefOf([])}>All templates</a> · <a href={hrefOf(['deleted'])}>Deleted templates</a>
      </p>
    </>
  )
}

const oneQuery = `query Operation($id: ID!) { operation(id: $id) { ${operationFields} } }`

function OneOperation({ id }: { id: string }) {
  const { data, hasFailed, reread } = useQuery<{ operation: Operation | null }>(oneQuery, { id })
  const [version, setVersion] = useState(0)
  const [sentences, setSentences] = useState<string[]>([])
  const operation = data?.operation
  const finish = (sentences: string[]) => {
    setSentences(sentences)
    setVersion(version + 1)
    reread()
  }
  return (
    <>
      <h1>{operation ? describeOperation(operation) : title}</h1>
      {!data && !hasFailed && <Loading />}
      {hasFailed && <p class="notice warning">This could not be read.</p>}
      {operation === null && <p class="muted">There is no such import or change, or you may not see it.</p>}
      {operation && (
        <>
          <Origin operation={operation} />
          <UndoButton operation={operation} onUndone={finish} />
          <Sentences sentences={sentences} />
          <WrittenTemplates id={id} version={version} />
        </>
      )}
      <p>
        <a href={hrefOf(['operations'])}>{title}</a>
      </p>
    </>
  )
}

const Origin = ({ operation }: { operation: Operation }) => {
  const { message, undone, count, undoneBy } = operation
  return (
    <>
      <p class="muted">
        <Signature {...operation} />
        {message !== null && ` “${message}”`}
      </p>
      {undoneBy && (
        <p class="muted">
          <span class="pill draft">
            {undone < count ? `${formatCount(undone)} of ${formatCount(count)} undone` : 'Undone'}
          </span>{' '}
          <Signature {...undoneBy} />
          {undoneBy.undone >= undoneBy.count && '; this was undone, too'}
        </p>
      )}
    </>
  )
}

/** When something was done, and who did it. */
const Signature = ({ time, author }: Pick<Operation, 'time' | 'author'>) => (
  <>
    <Time time={time} />
    {author ? describeAuthor(author) : ' by a command'}
  </>
)

/** What an undo has done. */
const Sentences = ({ sentences }: { sentences: string[] }) => (
  <div role="status">
    {sentences.length > 0 && (
      <div class={sentences.length > 1 ? 'notice warning' : 'notice'}>
        {sentences.map(sentence => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    )}
  </div>
)
