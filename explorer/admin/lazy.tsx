import { useEffect, useState } from 'preact/hooks'

/** The pages for administrators. Their code is loaded only when they are opened. */
export function LazyAdmin() {
  const [module, setModule] = useState<typeof import('./admin.tsx')>()
  useEffect(() => {
    import('./admin.tsx').then(setModule)
  }, [])
  return (
    <main id="main" class="admin" tabIndex={-1} aria-busy={!module}>
      {module && <module.Admin />}
    </main>
  )
}
