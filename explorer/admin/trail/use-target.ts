import { useEffect, useState } from 'preact/hooks'
import { isAborted, read } from '../../requests.ts'

const query = 'query Named($search: String) { users(first: 100, search: $search) { nodes { id email } } }'

interface Found {
  users: { nodes: { id: string; email: string }[] }
}

/** Returns the target's id. The audit trail stores user ids, but administrators search by e-mail address. */
export function useTarget(given: string | undefined): string | undefined {
  const [known, setKnown] = useState<{ email: string; id: string }>()
  const email = given?.includes('@') ? given.toLowerCase() : undefined
  useEffect(() => {
    if (email === undefined) return
    const stop = new AbortController()
    read<Found>(query, { search: email }, stop.signal)
      .then(({ users }) => {
        const id = users.nodes.find(user => user.email === email)?.id
        if (id !== undefined) setKnown({ email, id })
      })
      .catch(error => {
        if (!isAborted(error)) setKnown(undefined)
      })
    return () => stop.abort()
  }, [email])
  return known !== undefined && known.email === email ? known.id : given
}
