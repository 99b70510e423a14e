import { useEffect, useState } from 'preact/hooks'

/** The page for administrators. Nobody else loads its code. */
export function LazyAdmin() {
  const [room, setRoom] = useState<typeof import('./admin.tsx')>()
  useEffect(() => {
    import('./admin.tsx').then(setRoom)
  }, [])
  return (
    <main id="main" class="admin" tabIndex={-1} aria-busy={!room}>
      {room && <room.Admin />}
    </main>
  )
}
