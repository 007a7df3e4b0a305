// The reference of the REST API, made of the contract that the server itself answers by.
import { Fragment } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { BASE, address } from "../api/address";
import { useApi } from "../api/use";
import {
  type Contract,
  type Operation,
  type Schema,
  boundsText,
  curlCommand,
  fieldsOf,
  mentions,
  operationsOf,
  resolved,
  schemaName,
  typePieces,
} from "../lib/contract";
import { plural } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { go, usePlace, useQuery } from "../lib/route";
import { FilterField } from "../parts/controls";
import { PlainTable } from "../parts/plain_table";
import { Command, ErrorNote, Section, Waiting } from "../parts/small";

export function ApiPage() {
  useTitle("REST API");
  const [query, setQuery] = useQuery();
  const filter = query.get("q") ?? "";
  const { hash } = usePlace();
  const { data: answer, error, again } = useApi(address("/openapi.json"));
  // The contract does not describe itself.
  const data = answer as unknown as Contract | null;
  const operations = useMemo(() => (data ? operationsOf(data) : []), [data]);
  const shown = useMemo(() => operations.filter((one) => !filter || mentions(one, filter)), [operations, filter]);

  // An address of one operation or shape opens it.
  const named = decodeURIComponent(hash.slice(1));
  useEffect(() => {
    if (!data || !named) return;
    const target = document.getElementById(named);
    const details = target?.closest("details") ?? target?.querySelector("details");
    if (details) details.open = true;
    target?.scrollIntoView();
  }, [data, named]);

  if (!data) return error ? <ErrorNote error={error} again={again} /> : <Waiting rows={14} />;
  const groups = data.tags
    .map((tag) => ({ ...tag, operations: shown.filter((one) => one.group === tag.name) }))
    .filter((group) => group.operations.length);
  const [about = "", ...rules] = data.info.description.split("\n\n");
  return (
    <div class="reference">
      <header class="page-head">
        <div class="kicker">
          <span>
            version {data.info.version}, {plural(operations.length, "operation")}
          </span>
          <a href={`${BASE}/openapi.json`}>openapi.json</a>
        </div>
        <h1>The REST API</h1>
        <p>{about}</p>
        {rules.map((rule) => (
          <p key={rule}>
            <Words text={rule} />
          </p>
        ))}
        <div class="toolbar">
          <FilterField
            value={filter}
            onChange={(value) => setQuery({ q: value || null }, true)}
            shown={shown.length}
            all={operations.length}
            what="operations"
          />
        </div>
      </header>
      {groups.map((group) => (
        <Section key={group.name} id={`group-${group.name}`} title={group.name} note={group.description}>
          {group.operations.map((operation) => (
            <OperationEntry key={operation.id} operation={operation} contract={data} />
          ))}
        </Section>
      ))}
      {groups.length === 0 && <p class="quiet">No operation has all of these words.</p>}
      {!filter && (
        <Section id="shapes" title="Shapes" note="What answers are made of.">
          {Object.entries(data.components.schemas).map(([name, schema]) => (
            <ShapeEntry key={name} name={name} schema={schema} />
          ))}
        </Section>
      )}
    </div>
  );
}

/** Puts a place of this page into the address, so that it opens, and can be left by going back. */
function follow(event: MouseEvent) {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(location.pathname + location.search + (event.currentTarget as HTMLAnchorElement).hash);
}

/** Text with `code` in it. */
function Words({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}

function Type({ schema }: { schema: Schema }) {
  return (
    <span class="type">
      {typePieces(schema).map((piece, index) =>
        typeof piece === "string" ? (
          <Fragment key={index}>{piece}</Fragment>
        ) : (
          <a key={index} href={`#shape-${piece.schema}`} onClick={follow}>
            {piece.schema}
          </a>
        ),
      )}
    </span>
  );
}

function OperationEntry({ operation, contract }: { operation: Operation; contract: Contract }) {
  const { id, method, path, summary, description, scope } = operation;
  const command = curlCommand(operation, location.origin + BASE);
  return (
    <details class="operation" id={id}>
      <summary>
        <span class={`method method-${method.toLowerCase()}`}>{method}</span> <span class="mono path">{path}</span>{" "}
        <span class="quiet">{summary}</span>
      </summary>
      {description && (
        <p>
          <Words text={description} />
        </p>
      )}
      {scope && (
        <p>
          It takes a token for <code>{scope}</code>.
        </p>
      )}
      {scope === "" && <p>It never takes a token.</p>}
      {operation.parameters.length > 0 && <Parameters operation={operation} />}
      {operation.body && <SentBody body={operation.body} contract={contract} />}
      <Answers operation={operation} />
      {command && (
        <>
          <h3>Example</h3>
          <Command text={command} />
          {method === "GET" && (
            <p class="note">
              <a href={BASE + operation.exampleAddress} target="_blank" rel="noopener">
                Ask this server
              </a>{" "}
              <span class="quiet">(the example is of the nights in samples/)</span>
            </p>
          )}
          {operation.example !== undefined && (
            <pre class="example" tabIndex={0} role="region" aria-label={`What ${id} answers`}>
              {JSON.stringify(operation.example, null, 2)}
            </pre>
          )}
        </>
      )}
    </details>
  );
}

function Parameters({ operation }: { operation: Operation }) {
  return (
    <PlainTable
      caption={`Parameters of ${operation.id}`}
      class="reference-table"
      heads={[{ title: "Parameter" }, { title: "Type" }, { title: "Meaning" }]}
    >
      <tbody>
        {operation.parameters.map((one) => (
          <tr key={one.name}>
            <th scope="row" class="mono">
              {one.in === "path" ? `{${one.name}}` : one.name}
              {one.required && one.in !== "path" && <span class="needed"> needed</span>}
            </th>
            <td>
              <Type schema={one.schema} />
              {boundsText(one.schema) && <div class="quiet">{boundsText(one.schema)}</div>}
            </td>
            <td class="words">
              <Words text={one.description ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

function SentBody({ body, contract }: { body: NonNullable<Operation["body"]>; contract: Contract }) {
  const isShape = body.schema !== null && schemaName(body.schema) !== null;
  return (
    <>
      <h3>Body</h3>
      <p>
        {isShape && body.schema ? <Type schema={body.schema} /> : <Words text={body.description} />}{" "}
        <span class="quiet">as {body.types.join(", ")}</span>
      </p>
      {isShape && body.schema && <Fields caption="Fields of the body" schema={resolved(contract, body.schema)} />}
    </>
  );
}

function Answers({ operation }: { operation: Operation }) {
  return (
    <>
      <h3>Answers</h3>
      <PlainTable
        caption={`Answers of ${operation.id}`}
        class="reference-table"
        heads={[{ title: "Status" }, { title: "Type" }, { title: "Meaning" }]}
      >
        <tbody>
          {operation.answers.map((one) => (
            <tr key={one.status}>
              <th scope="row">{one.status}</th>
              <td>
                {one.schema && <Type schema={one.schema} />}{" "}
                <div class="quiet">
                  {one.types.filter((type) => type !== "application/json" || one.types.length > 1).join(", ")}
                </div>
              </td>
              <td class="words">
                <Words text={one.description} />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </>
  );
}

function Fields({ caption, schema }: { caption: string; schema: Schema }) {
  return (
    <PlainTable
      caption={caption}
      class="reference-table"
      heads={[{ title: "Field" }, { title: "Type" }, { title: "Meaning" }]}
    >
      <tbody>
        {fieldsOf(schema).map((field) => (
          <tr key={field.name}>
            <th scope="row" class="mono">
              {field.name}
              {!field.required && <span class="needed"> may be absent</span>}
            </th>
            <td>
              <Type schema={field.schema} />
              {boundsText(field.schema) && <div class="quiet">{boundsText(field.schema)}</div>}
            </td>
            <td class="words">
              <Words text={field.schema.description ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

function ShapeEntry({ name, schema }: { name: string; schema: Schema }) {
  const hasFields = fieldsOf(schema).length > 0;
  return (
    <details class="operation" id={`shape-${name}`}>
      <summary>
        <span class="mono">{name}</span> <span class="quiet">{schema.description ?? ""}</span>
      </summary>
      {hasFields ? (
        <Fields caption={`Fields of ${name}`} schema={schema} />
      ) : (
        <p>
          <Type schema={schema} />
        </p>
      )}
    </details>
  );
}
