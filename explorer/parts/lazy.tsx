import type { ComponentChild } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Loading } from './loading.tsx'

interface Props<Module> {
  /** The class of the page. */
  name: string
  load: () => Promise<Module>
  children: (module: Module) => ComponentChild
}

/** A page that not everybody opens. Its code is loaded only then. */
export function Lazy<Module>({ name, load, children }: Props<Module>) {
  const [module, setModule] = useState<Module>()
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    load().then(
      loaded => setModule(() => loaded),
      () => setFailed(true)
    )
  }, [])
  return (
    <main id="main" class={name} tabIndex={-1} aria-busy={(!module && !hasFailed) || undefined}>
      {module ? children(module) : hasFailed ? <LoadingFailed /> : <Loading />}
    </main>
  )
}

const LoadingFailed = () => (
  <p class="notice warning" role="alert">
    This page could not be loaded.{' '}
    <button type="button" class="button" onClick={() => location.reload()}>
      Try again
    </button>
  </p>
)
