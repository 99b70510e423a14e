import { useEffect, useState } from 'preact/hooks'

/** The pages for administrators. Their code is loaded only when they are opened. */
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
