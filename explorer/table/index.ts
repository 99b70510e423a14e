export { TableButtons } from './buttons.tsx'
export { Table } from './table.tsx'
