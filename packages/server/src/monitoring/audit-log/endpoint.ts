/**
 * The name of a route in the audit log: method and words of the path without its parameters, joined by `_`.
 * `POST`, `/v1/vouchers/importCSV` → `POST_v1_vouchers_import_csv`.
 */
export function endpointOf(method: string, path: string): string {
  const words = path
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
    .map((segment) =>
      segment
        .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
        .replaceAll('-', '_')
        .toLowerCase(),
    )
  return [method, ...words].join('_')
}
