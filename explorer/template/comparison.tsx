import { useEffect, useState } from 'preact/hooks'
import { Loading } from '../parts/loading.tsx'
import { isAborted } from '../requests.ts'
import { ByteDiff } from './byte-diff.tsx'
import { compareFields } from './compare-fields.ts'
import { type Contents, readContents } from './read.ts'

interface Props {
  id: number
  from: number
  to: number
}

/** The difference between two revisions: fields and traits, then bytes. */
export function Comparison({ id, from, to }: Props) {
  const [pair, setPair] = useState<[before: Contents | null, after: Contents | null]>()
  useEffect(() => {
    const stop = new AbortController()
    const find = (number: number) =>
      number < 1 ? Promise.resolve(null) : readContents(id, number, stop.signal)
    Promise.all([find(from), find(to)])
      .then(setPair)
      .catch(error => {
        if (!isAborted(error)) setPair([null, null])
      })
    return () => stop.abort()
  }, [id, from, to])
  if (!pair) return <Loading />
  const [before, after] = pair
  if (!after) return <p class="notice">In this revision the template was deleted.</p>
  const changes = before ? compareFields(before, after) : []
  return (
    <>
      {before && changes.length === 0 && before.data === after.data && <p class="muted">Nothing differs.</p>}
      {changes.length > 0 && (
        <table class="fields-changed">
          <tbody>
            {changes.map(({ label, from, to }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  {from !== undefined && <del>{from}</del>} {from !== undefined && to !== undefined && '→ '}
                  {to === undefined ? <em class="muted">removed</em> : <ins>{to}</ins>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {before?.data !== after.data && <ByteDiff before={before?.data ?? ''} after={after.data} />}
    </>
  )
}
