import { address } from "../api/address";
import { useApi } from "../api/use";
import { ErrorNote, Waiting } from "../parts/small";

/** A name as a statement has to write it. */
export const sqlName = (name: string): string => (name === "end" ? '"end"' : name);

/** `insert`: puts a name where the statement is being written. */
export function QueryTables({ insert }: { insert: (name: string) => void }) {
  const { data, error, again } = useApi(address("/trace-tables"));
  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={2} />;
  const name = (one: string) => (
    <button type="button" class="link mono" title="Put it into the statement" onClick={() => insert(sqlName(one))}>
      {one}
    </button>
  );
  return (
    <div class="trace-tables">
      {data.items.map((table) => (
        <details class="nested" key={table.name}>
          <summary>
            <span class="mono">{table.name}</span> <span class="quiet">{table.meaning}</span>
          </summary>
          <dl class="facts">
            <dt>{name(table.name)}</dt>
            <dd class="quiet">the table</dd>
            {table.columns.map((column) => (
              <>
                <dt>{name(column.name)}</dt>
                <dd>
                  {column.meaning} <span class="quiet">{column.type}</span>
                </dd>
              </>
            ))}
          </dl>
        </details>
      ))}
    </div>
  );
}
